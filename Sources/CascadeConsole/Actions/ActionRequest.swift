// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession
import CascadeWire

/// What a page asks to be done, read from the name of the action and the body of the request.
struct ActionRequest: Sendable {
    /// The limit of the length of the page's name for a request, in bytes.
    static let requestByteCountMax = 64

    enum Change: Sendable {
        case retry(EventID)
        /// Raises a message as a child of a node would, or publishes it there.
        case raise(Raising, RaiseOptions)
        case set(at: NodePath, [EnvironmentSetting])
        case activate(NodePath, Bool)
        /// Takes nodes out of the tree, or moves them.
        case depart(Departure)
        case clear
    }

    enum Departure: Sendable, Equatable {
        case drain(NodePath, withSubtree: Bool)
        case detach(NodePath, withSubtree: Bool)
        case move(NodePath, under: NodePath)
    }

    let kind: ActionKind
    /// The page's name for the request: the same one is carried out once, however often it comes.
    let name: String
    let change: Change
    /// The number of nodes that the user has been told of and has confirmed; `nil` before that.
    let confirmed: Int?

    /// Reads a request. Throws ``Refusal`` if a member is missing or of another form.
    init(_ kind: ActionKind, _ json: JSONValue) throws(Refusal) {
        let body = ActionBody(json)
        guard let name = json["request"]?.string,
            (1...Self.requestByteCountMax).contains(name.utf8.count)
        else {
            throw ActionBody.wrong("request", "is a text of 1 to 64 bytes, another one each time")
        }
        self.kind = kind
        self.name = name
        confirmed = json["confirmed"]?.integer()
        change =
            switch kind {
            case .retry: .retry(try body.id())
            case .trigger: try body.trigger()
            case .publish: try body.publication()
            case .set: .set(at: try body.path("at", or: .root), try body.settings())
            case .activate: .activate(try body.path("path"), true)
            case .deactivate: .activate(try body.path("path"), false)
            case .drain:
                .depart(.drain(try body.path("path"), withSubtree: try body.flag("subtree")))
            case .detach:
                .depart(.detach(try body.path("path"), withSubtree: try body.flag("subtree")))
            case .move: .depart(.move(try body.path("path"), under: try body.path("under")))
            case .clear: .clear
            }
    }

    /// The places at which policy must allow the action's verb, as far as the request names them.
    var places: [NodePath] {
        switch change {
        case .retry: []
        case .raise(_, let options): [options.origin.path]
        case .set(let path, _), .activate(let path, _): [path]
        case .depart(.drain(let path, _)), .depart(.detach(let path, _)): [path]
        case .depart(.move(let path, let parent)): [path, parent]
        case .clear: [.root]
        }
    }

    /// What the log calls the request: the subject of the action.
    var subject: String {
        switch change {
        case .retry(let id): "\(id)"
        case .raise(let raising, let options): "\(raising.name) at \(options.origin.path)"
        case .set(let path, let settings):
            "\(settings.map { "\($0.key)" }.joined(separator: ", ")) at \(path)"
        case .activate(let path, _): "\(path)"
        case .depart(.drain(let path, let withSubtree)),
            .depart(.detach(let path, let withSubtree)):
            withSubtree ? "\(path) and all below it" : "\(path)"
        case .depart(.move(let path, let parent)): "\(path) under \(parent)"
        case .clear: "the undelivered messages"
        }
    }
}

/// The members of an action's body.
private struct ActionBody {
    let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    static func wrong(_ member: String, _ problem: String) -> Refusal {
        Refusal(400, "badAction", "The member '\(member)' \(problem).")
    }

    // MARK: - Messages

    func trigger() throws(Refusal) -> ActionRequest.Change {
        guard let lane = Lane(named: json["lane"]?.string ?? "event") else {
            let words = Lane.allCases.map(\.name).joined(separator: ", ")
            throw Self.wrong("lane", "is one of \(words)")
        }
        var raising = try raising()
        if lane == .error {
            raising.message = json["message"]?.string
            raising.title = json["title"]?.string
        }
        return .raise(
            raising,
            RaiseOptions(
                .upward(lane), from: .outsider(try path("from", or: .root)),
                deadlineMilliseconds: try deadline(), flags: .wantsTrail))
    }

    func publication() throws(Refusal) -> ActionRequest.Change {
        let word = json["to"]?.string ?? PublishingDestination.last.name
        guard let destination = PublishingDestination.allCases.first(where: { $0.name == word })
        else {
            let words = PublishingDestination.allCases.map(\.name).joined(separator: ", ")
            throw Self.wrong("to", "is one of \(words)")
        }
        return .raise(
            try raising(),
            RaiseOptions(
                .down(destination), from: .outsider(try path("at", or: .root)),
                deadlineMilliseconds: try deadline(),
                flags: try flag("retain") ? .retained : []))
    }

    private func raising() throws(Refusal) -> Raising {
        var attributes: [Attribute] = []
        for member in json["attributes"]?.members ?? [] {
            guard let value = member.value.string else {
                throw Self.wrong("attributes", "has texts only")
            }
            attributes.append(Attribute(member.key, value))
        }
        return Raising(
            name: try name("name"), payload: json["payload"].map { Array($0.text.utf8) } ?? [],
            attributes: attributes)
    }

    private func deadline() throws(Refusal) -> UInt32 {
        guard let value = json["deadline"] else {
            return 0
        }
        guard let milliseconds: UInt32 = value.integer() else {
            throw Self.wrong("deadline", "is a number of milliseconds")
        }
        return milliseconds
    }

    // MARK: - Values

    func settings() throws(Refusal) -> [EnvironmentSetting] {
        var settings: [EnvironmentSetting] = []
        for member in json["values"]?.members ?? [] {
            settings.append(
                EnvironmentSetting(try Self.name(member.key, in: "values"), member.value.text))
        }
        for key in json["unset"]?.elements ?? [] {
            settings.append(EnvironmentSetting(try Self.name(key.string, in: "unset"), nil))
        }
        guard !settings.isEmpty else {
            throw Self.wrong("values", "has keys with their values, or 'unset' has keys")
        }
        return settings
    }

    // MARK: - Members

    func id() throws(Refusal) -> EventID {
        guard let id = json["id"]?.string.flatMap({ EventID($0) }) else {
            throw Self.wrong("id", "is the ID of an undelivered message")
        }
        return id
    }

    func flag(_ member: String) throws(Refusal) -> Bool {
        guard let value = json[member] else {
            return false
        }
        guard let flag = value.bool else {
            throw Self.wrong(member, "is true or false")
        }
        return flag
    }

    func path(_ member: String, or standard: NodePath? = nil) throws(Refusal) -> NodePath {
        guard let value = json[member] else {
            guard let standard else {
                throw Self.wrong(member, "is missing: it is the path of a node")
            }
            return standard
        }
        do throws(NameError) {
            return try NodePath(value.string ?? "")
        } catch {
            throw Self.wrong(member, "is no path: \(error)")
        }
    }

    func name(_ member: String) throws(Refusal) -> EventName {
        try Self.name(json[member]?.string, in: member)
    }

    private static func name(_ text: String?, in member: String) throws(Refusal) -> EventName {
        do throws(NameError) {
            return try EventName(text ?? "")
        } catch {
            throw wrong(member, "has no valid name: \(error)")
        }
    }
}
