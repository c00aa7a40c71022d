// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

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
