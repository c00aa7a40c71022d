// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeWire
import NIOHTTP1
import Synchronization

/// Answers the requests of pages.
final class ConsoleService: Sendable {
    private let console: Console
    private let session: BusSession
    private let assets: @Sendable () -> Assets
    private let keyring = Mutex(Keyring())
    private let actions: Actions
    private let user: String

    init(
        console: Console, session: BusSession, actions: Actions, user: String,
        assets: @escaping @Sendable () -> Assets
    ) {
        self.console = console
        self.session = session
        self.actions = actions
        self.user = user
        self.assets = assets
    }

    /// Makes a key for a link.
    func makeKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return keyring.withLock { $0.makeKey(using: &generator) }
    }

    func answer(_ request: Request) async -> Response {
        do throws(Refusal) {
            return try await response(to: request)
        } catch {
            return Response(error)
        }
    }

    private func response(to request: Request) async throws(Refusal) -> Response {
        guard request.path.hasPrefix("/v1/") else {
            guard request.method == .GET, let asset = assets()[request.path] else {
                throw .notFound
            }
            return asset
        }
        if request.path == "/v1/session" {
            return try await openSession(request)
        }
        guard keyring.withLock({ $0.accepts(request.token) }) else {
            throw .needsToken
        }
        let documents = "/v1/document/"
        let actionNames = "/v1/action/"
        switch request.method {
        case .POST where request.path == "/v1/frame":
            return Response(
                jsonText: try await console.frame(FrameRequest(try request.json())))
        case .POST where request.path.hasPrefix(actionNames):
            let name = String(request.path.dropFirst(actionNames.count))
            return Response(
                jsonText: try await actions.answer(name, request, by: user, on: session))
        case .GET where request.path.hasPrefix(documents):
            let query = DocumentQuery(
                kind: String(request.path.dropFirst(documents.count)),
                parameters: request.parameters)
            return Response(jsonText: try await query.answer(from: session.control()))
        default: throw .notFound
        }
    }

    /// Swaps the key of a link for a token, or confirms a token.
    private func openSession(_ request: Request) async throws(Refusal) -> Response {
        guard request.method == .POST else {
            throw .notFound
        }
        var token = request.token
        let body = try request.json()
        let place = try Self.place(in: body)
        if let key = body["key"]?.string {
            token = try redeem(key, second: Timestamp.now.microseconds / 1_000_000)
        } else if !keyring.withLock({ $0.accepts(token) }) {
            throw .needsToken
        }
        let view = await console.view
        let rights = await ActionRights(
            admitted: actions.admitted, at: place, of: try? session.control())
        let answer = JSONValue.members([
            "token": .string(token), "user": .string(user), "rights": rights.rights,
            "actions": rights.actions, "sites": .array([.string(view.bus)]),
            "release": .string(view.release),
        ])
        return Response(jsonText: answer.text)
    }

    /// The node at which a page asks what it may do; the root without one.
    private static func place(in body: JSONValue) throws(Refusal) -> NodePath {
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
}

extension Refusal {
    static let notFound = Refusal(404, "notFound", "There is nothing at this address.")
}
