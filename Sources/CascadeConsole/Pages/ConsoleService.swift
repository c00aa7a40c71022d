// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeWire
import NIOHTTP1
import Synchronization

/// Answers the requests of pages.
final class ConsoleService: Sendable {
    /// How browsers reach the console, and who may.
    struct Place: Sendable {
        /// The address of a link, without its key: `http://127.0.0.1:4270/`.
        let address: String
        /// The path below which a proxy serves the page, without a slash at its end; empty for none.
        let base: String
        let rule: PeerRule
    }

    private let buses: Buses
    private let assets: @Sendable () -> Assets
    private let keyring = Mutex(Keyring())
    private let actions: Actions
    private let metrics: ConsoleMetrics
    private let user: String
    private let place: Place

    init(
        buses: Buses, actions: Actions, metrics: ConsoleMetrics, user: String, at place: Place,
        assets: @escaping @Sendable () -> Assets
    ) {
        self.buses = buses
        self.actions = actions
        self.metrics = metrics
        self.user = user
        self.place = place
        self.assets = assets
    }

    /// Makes a link, which opens one session.
    func makeLink() -> String {
        var generator = SystemRandomNumberGenerator()
        let key = keyring.withLock { $0.makeKey(using: &generator) }
        return "\(place.address)#key=\(key)"
    }

    func answer(_ request: Request) async -> Response {
        do throws(Refusal) {
            return try await response(to: request)
        } catch {
            return Response(error)
        }
    }

    private func response(to request: Request) async throws(Refusal) -> Response {
        // `cascade-console link` need not know the path below which a proxy serves the page.
        if request.method == .POST, request.path == "/v1/link" {
            return try link(for: request)
        }
        guard request.path.hasPrefix(place.base + "/") else {
            throw .notFound
        }
        let path = String(request.path.dropFirst(place.base.count))
        switch (request.method, path) {
        case (.GET, "/healthz"), (.GET, "/metrics"):
            try checkToken(of: request, orOwner: true)
            return path == "/metrics" ? await metricsText() : await health()
        case (.POST, "/v1/link"): return try link(for: request)
        case (.POST, "/v1/session"): return try await openSession(request)
        case (.GET, _) where !path.hasPrefix("/v1/"):
            guard let asset = assets()[path] else {
                throw .notFound
            }
            return asset
        default:
            try checkToken(of: request)
            return try await data(request, path)
        }
    }

    /// Answers a request for data, whose token is valid.
    private func data(_ request: Request, _ path: String) async throws(Refusal) -> Response {
        let documents = "/v1/document/"
        let actionNames = "/v1/action/"
        switch request.method {
        case .POST where path == "/v1/frame": return try await frame(request.json())
        case .POST where path.hasPrefix(actionNames):
            let name = String(path.dropFirst(actionNames.count))
            return Response(
                jsonText: try await actions.answer(
                    name, request, by: person(behind: request), on: buses))
        case .GET where path.hasPrefix(documents):
            let query = DocumentQuery(
                kind: String(path.dropFirst(documents.count)), parameters: request.parameters)
            let bus = try bus(of: request)
            return Response(
                jsonText: try await query.answer(
                    from: questions(for: bus), withPayloads: bus.session.withPayloads))
        case .GET where path == "/v1/site": return try await siteTree(request)
        case .GET where path == "/v1/children": return try await children(request)
        case .GET where path == "/v1/find": return try await find(request)
        default: throw .notFound
        }
    }

    private func bus(of request: Request) throws(Refusal) -> ShownBus {
        try buses.named(request.parameters["bus"])
    }

    private func questions(for bus: ShownBus) async throws(Refusal) -> SiteQuestions {
        SiteQuestions(link: try await bus.session.link(), mounts: await bus.console.view.mounts)
    }

    /// Answers a request for the nodes of another site.
    private func siteTree(_ request: Request) async throws(Refusal) -> Response {
        let bus = try bus(of: request)
        let place = try DocumentQuery(kind: "site", parameters: request.parameters).path("place")
        let questions = try await questions(for: bus)
        return Response(
            jsonText: try await bus.asked.text(for: "site \(place)") {
                try await questions.tree(ofSiteAt: place)
            })
    }

    /// Answers a request for the children of a node that frames leave out.
    private func children(_ request: Request) async throws(Refusal) -> Response {
        let bus = try bus(of: request)
        let query = DocumentQuery(kind: "children", parameters: request.parameters)
        let child = request.parameters["child"] == nil ? nil : try query.path("child")
        let path = try query.path()
        guard child == nil || child?.parent == path else {
            throw Refusal(
                400, "badQuery", "'\(child ?? path)' is no child of '\(path)'.")
        }
        let question = ChildrenQuestion(path: path, child: child)
        let link = try await bus.session.link()
        return Response(
            jsonText: try await bus.asked.text(for: "children \(question.name)") {
                try await question.answer(from: link)
            })
    }

    /// Answers a request for the nodes of all buses for which a text holds.
    private func find(_ request: Request) async throws(Refusal) -> Response {
        guard let text = request.parameters["sought"], text.count <= NodeSearch.lengthMax else {
            throw Refusal(
                400, "badQuery",
                "The parameter 'sought' is a text of at most \(NodeSearch.lengthMax) characters.")
        }
        return Response(jsonText: await buses.find(NodeSearch(text)).text)
    }

    private func checkToken(of request: Request, orOwner: Bool = false) throws(Refusal) {
        guard
            orOwner && place.rule.isOwner(request.peer)
                || keyring.withLock({ $0.accepts(request.token) })
        else {
            throw .needsToken
        }
    }

    /// The user of the console, with the person whom a trusted proxy names, for the log.
    private func person(behind request: Request) -> String {
        guard place.rule.isProxy(request.peer), let remote = request.remoteUser else {
            return user
        }
        return "\(user) for \(remote)"
    }

    private func frame(_ json: JSONValue) async throws(Refusal) -> Response {
        let bus = try buses.named(json["bus"]?.string)
        buses.pageActivity.record()
        let text = try await bus.console.frame(FrameRequest(json))
        guard let summaries = await buses.summaries else {
            return Response(jsonText: text)
        }
        return Response(jsonText: "\(text.dropLast()),\"buses\":\(summaries.text)}")
    }

    // MARK: - Sessions

    /// Swaps the key of a link for a token, or confirms a token.
    private func openSession(_ request: Request) async throws(Refusal) -> Response {
        var token = request.token
        let body = try request.json()
        let path = try Self.path(in: body)
        let bus = try buses.named(body["bus"]?.string)
        if let key = body["key"]?.string {
            token = try redeem(key, second: Timestamp.now.microseconds / 1_000_000)
        } else if !keyring.withLock({ $0.accepts(token) }) {
            throw .needsToken
        }
        let rights = await ActionRights(
            admitted: actions.admitted, at: path, of: try? await bus.session.control())
        let answer = JSONValue.members([
            "token": .string(token), "user": .string(user), "rights": rights.rights,
            "actions": rights.actions, "sites": await buses.names,
            "release": .string(await bus.console.view.release),
        ])
        return Response(jsonText: answer.text)
    }

    /// The node at which a page asks what it may do; the root without one.
    private static func path(in body: JSONValue) throws(Refusal) -> NodePath {
        do {
            return try body["path"]?.string.map { try NodePath($0) } ?? .root
        } catch {
            throw Refusal(400, "badSession", "The member 'path' is no path: \(error)")
        }
    }

    private func redeem(_ key: String, second: Int64) throws(Refusal) -> String {
        let result: Result<String, Refusal> = keyring.withLock { keyring in
            var generator = SystemRandomNumberGenerator()
            do throws(Refusal) {
                return .success(try keyring.redeem(key, second: second, using: &generator))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Makes a link for a peer of the console's Unix socket.
    private func link(for request: Request) throws(Refusal) -> Response {
        guard place.rule.isOwner(request.peer) else {
            throw Refusal(
                403, "noLink", "Only the console's user and root have a link, by its Unix socket.")
        }
        return Response(jsonText: JSONValue.members(["link": .string(makeLink())]).text)
    }

    // MARK: - Operation

    private func health() async -> Response {
        var states: [String] = []
        for bus in buses.all {
            let view = await bus.console.view
            let state = view.connection == .live ? "live" : "away"
            states.append(buses.all.count == 1 ? state : "\(bus.name) \(state)")
        }
        return Response(
            type: Self.plainText, isImmutable: false,
            body: Array("ok \(states.joined(separator: ", "))\n".utf8))
    }

    private func metricsText() async -> Response {
        var pages = 0
        for bus in buses.all {
            pages += await bus.console.pageCount
        }
        return Response(
            type: Self.plainText, isImmutable: false,
            body: Array(metrics.text(pages: pages, actions: actions.outcomes).utf8))
    }

    private static let plainText = "text/plain; charset=utf-8"
}

extension Refusal {
    static let notFound = Refusal(404, "notFound", "There is nothing at this address.")
}
