// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The whole state of a bus at one moment, read from a file.
struct Dump: Sendable {
    let json: JSONValue
    let bus: String
    let moment: Timestamp

    static let schema = "cascade/v1/dump"

    /// Reads a file that `dump` has written; of several lines, only the first. Throws ``Stop`` if
    /// it is not a dump.
    init(readingFile path: String) throws {
        let bytes = try InputFile(path: path).read()
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes.prefix { $0 != UInt8(ascii: "\n") })
        } catch {
            throw Stop(.badData, "\(path) is not a dump: \(error)")
        }
        guard json["schema"]?.string == Self.schema, let bus = json["bus"]?.string,
            let moment = json["when"]?.string.flatMap({ Timestamp($0) })
        else {
            throw Stop(.badData, "\(path) is not a dump: its schema is not '\(Self.schema)'")
        }
        self.bus = bus
        self.moment = moment
    }

    /// Returns one of the documents in the dump. Throws ``Stop`` if it is missing.
    func document(_ name: String) throws -> JSONValue {
        guard let document = json[name] else {
            throw Stop(.badData, "the dump has no member '\(name)'")
        }
        return document
    }

    /// Returns the environment of the node at `path`. Throws ``Stop`` if the dump lacks the node.
    func environment(at path: NodePath) throws -> [JSONValue] {
        try entry(of: path, in: "environment")?["values"]?.elements ?? []
    }

    /// Returns the preferences at and below `path`. Throws ``Stop`` if the dump lacks the node.
    func preferences(at path: NodePath) throws -> [JSONValue.Member] {
        try entry(of: path, in: "preferences")?["preferences"]?.members ?? []
    }

    /// Returns the node's entry in a list; `nil` if it has none. Throws ``Stop`` if the dump lacks
    /// the node.
    private func entry(of path: NodePath, in list: String) throws -> JSONValue? {
        _ = try entries(from: path, depth: 0)
        return try document(list).elements.first { $0["path"]?.string == path.description }
    }

    /// Returns the nodes in tree order.
    func entries() throws -> [NodeEntry] {
        let nodes = try document("tree")["nodes"]?.elements ?? []
        return try nodes.map { try NodeEntry(dumped: $0, now: moment) }
    }

    /// Returns the nodes from `path` down to a depth. Throws ``Stop`` if the dump lacks the first.
    func entries(from path: NodePath, depth: UInt32 = .max) throws -> [NodeEntry] {
        let found = try entries().filter { entry in
            path.contains(entry.node.path) && entry.node.path.depth - path.depth <= Int(depth)
        }
        guard found.first?.node.path == path else {
            throw Stop(.absent, "there is no node at '\(path)' in the dump")
        }
        return found
    }
}

// MARK: - Documents of a dump

extension BusDocument {
    /// Creates the status of the bus from a dump.
    init(_ dump: Dump) throws {
        let status = try dump.document("status")
        let since = status["since"]?.string.flatMap { Timestamp($0) } ?? dump.moment
        self.init(
            answer: BusAnswer(
                request: 0, bus: dump.bus, release: status["release"]?.string ?? "",
                processID: status["pid"]?.integer() ?? 0,
                ageMicroseconds: dump.moment.microseconds(since: since),
                counters: NamedNumber.list(status["counters"]),
                limits: NamedNumber.list(status["limits"]),
                uses: NamedNumber.list(status["uses"])),
            now: dump.moment)
    }
}

extension NodeEntry {
    /// Parses a node of a dump. Throws ``Stop`` if it is invalid.
    init(dumped json: JSONValue, now: Timestamp) throws {
        guard let path = json["path"]?.string, let path = try? NodePath(path),
            let state = json["state"]?.string,
            let state = NodeState.allCases.first(where: { $0.name == state })
        else {
            throw Stop(.badData, "a node of the dump has no path or no state")
        }
        let since = json["since"]?.string.flatMap { Timestamp($0) } ?? now
        var node = NodeSnapshot(
            path: path, state: state, isActive: json["active"]?.bool ?? false,
            ageMicroseconds: now.microseconds(since: since),
            childCount: json["children"]?.integer() ?? 0,
            holder: Self.holder(json),
            responders: try (json["responders"]?.elements ?? []).map(Self.responder),
            subscriptions: try Self.names(json["subscriptions"]) ?? [],
            counters: NamedNumber.list(json["counters"]))
        node.since = since
        node.isPresented = json["relation"]?.string == "presented"
        node.triggers = try Self.names(json["triggers"])
        node.reports = try Self.names(json["reports"])
        self.init(
            node: node, now: now, user: json["user"]?.string,
            residentBytes: json["residentBytes"]?.integer())
    }

    private static func holder(_ json: JSONValue) -> NodeSnapshot.Holder? {
        guard let processID = json["pid"]?.integer(UInt32.self) else {
            return nil
        }
        let session = json["session"]?.string.flatMap { SessionID($0) }
        return NodeSnapshot.Holder(
            session: session ?? SessionID(high: 0, low: 0), processID: processID,
            userID: json["uid"]?.integer() ?? .max, groupID: json["gid"]?.integer() ?? .max,
            unit: json["unit"]?.string ?? "", program: json["program"]?.string ?? "")
    }

    private static func responder(_ json: JSONValue) throws -> ResponderDeclaration {
        guard let kind = ResponderKind.allCases.first(where: { $0.name == json["kind"]?.string }),
            let name = json["name"]?.string
        else {
            throw Stop(.badData, "a responder of the dump has no kind or no name")
        }
        return ResponderDeclaration(
            kind, name == NameRule.wildcard ? nil : try EventName(name),
            when: json["when"]?.string)
    }

    private static func names(_ json: JSONValue?) throws -> [EventName]? {
        try json?.elements.compactMap(\.string).map { try EventName($0) }
    }
}

extension NamedNumber {
    /// Returns the numeric members of an object.
    static func list(_ json: JSONValue?) -> [NamedNumber] {
        (json?.members ?? []).compactMap { member in
            member.value.integer(UInt64.self).map { NamedNumber(member.key, $0) }
        }
    }
}

extension SubscribersDocument {
    /// Creates the subscribers of a name, for publications from the root, from a dump.
    init(_ dump: Dump, _ name: EventName) throws {
        let document = try dump.document("subscribers")[name.description]
        var answer = SubscribersAnswer(request: 0)
        for destination in PublishingDestination.allCases {
            let paths = document?[destination.name]?.elements ?? []
            answer[destination] = try paths.compactMap(\.string).map { try NodePath($0) }
        }
        self.init(answer: answer)
    }
}
