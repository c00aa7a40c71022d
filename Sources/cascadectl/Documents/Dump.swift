// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON

/// The whole state of a bus at one moment, read from a file.
struct Dump: Sendable {
    let json: JSONValue
    let bus: String
    let moment: Timestamp

    /// Reads a file that `dump` has written; of several lines, only the first. Throws ``Stop`` if
    /// it is not a dump.
    init(readingFile path: String) throws {
        let bytes = try InputFile(path: path).read()
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes.prefix { $0 != UInt8(ascii: "\n") })
        } catch {
            throw Stop(.badData, "\(path) is not a dump: \(error)")
        }
        guard json["schema"]?.string == DumpDocument.schemaName, let bus = json["bus"]?.string,
            let moment = json["when"]?.string.flatMap({ Timestamp($0) })
        else {
            throw Stop(
                .badData, "\(path) is not a dump: its schema is not '\(DumpDocument.schemaName)'")
        }
        self.bus = bus
        self.moment = moment
    }

    /// Returns one of the documents in the dump. Throws ``Stop`` if it is missing or of another form.
    func document<Content: InspectionDocument>(_ name: String) throws -> ReceivedDocument<Content> {
        try read(name) { json throws(InspectionError) in try ReceivedDocument(json: json) }
    }

    /// Returns the environment of the node at `path`. Throws ``Stop`` if the dump lacks the node.
    func environment(at path: NodePath) throws -> [EnvironmentEntry] {
        _ = try entries(from: path, depth: 0)
        return try environment().first { $0.path == path }?.values ?? []
    }

    /// Returns the environment of each node that has any.
    func environment() throws -> [NodeEnvironmentEntry] {
        try read("environment") { json throws(InspectionError) in
            try [NodeEnvironmentEntry](json: json, in: DumpDocument.self)
        }
    }

    /// Returns the preferences at and below `path`. Throws ``Stop`` if the dump lacks the node.
    func preferences(at path: NodePath) throws -> NodePreferencesEntry {
        _ = try entries(from: path, depth: 0)
        let preferences = try read("preferences") { json throws(InspectionError) in
            try [NodePreferencesEntry](json: json, in: DumpDocument.self)
        }
        return preferences.first { $0.path == path }
            ?? NodePreferencesEntry(path: path, preferences: [:])
    }

    /// Returns the subscribers of a name, for publications from the root.
    func subscribers(to name: EventName) throws -> SubscribersDocument {
        let subscribers = try read("subscribers") { json throws(InspectionError) in
            try NamedMembers<SubscribersDocument>(json: json, in: DumpDocument.self)
        }
        return subscribers[name.description] ?? .none
    }

    /// Reads a member of the dump. Throws ``Stop`` if it is missing or of another form.
    private func read<Content>(
        _ name: String, _ read: (JSONValue) throws(InspectionError) -> Content
    ) throws -> Content {
        guard let member = json[name] else {
            throw Stop(.badData, "the dump has no member '\(name)'")
        }
        do throws(InspectionError) {
            return try read(member)
        } catch {
            throw Stop(.badData, "the member '\(name)' of the dump cannot be read: \(error)")
        }
    }

    /// Returns the nodes in tree order.
    func entries() throws -> [NodeEntry] {
        let tree: ReceivedDocument<TreeDocument> = try document("tree")
        return tree.content.nodes.map { NodeEntry(dumped: $0, now: moment) }
    }

    /// Returns the nodes from `path` down to a depth. Throws ``Stop`` if the dump lacks the first.
    func entries(from path: NodePath, depth: UInt32 = .max) throws -> [NodeEntry] {
        let entries = try entries()
        let found = entries.filter { entry in
            path.contains(entry.node.path) && entry.node.path.depth - path.depth <= Int(depth)
        }
        guard found.first?.node.path == path else {
            let nearest = PathSuggestion.nearest(to: path, among: entries.map(\.node.path))
            throw Stop(
                .absent,
                "there is no node at '\(path)' in the dump" + Spelling.question(nearest))
        }
        return found
    }
}

// MARK: - Documents of a dump

extension BusDocument {
    /// Creates the status of the bus from a dump.
    init(_ dump: Dump) throws {
        let status: BusStatusDocument = try dump.document("status").content
        var answer = BusAnswer(
            request: 0, bus: dump.bus, release: status.release, processID: status.pid,
            ageMicroseconds: dump.moment.microseconds(since: status.since),
            counters: NamedNumber.list(status.counters), limits: NamedNumber.list(status.limits),
            uses: NamedNumber.list(status.uses))
        answer.since = status.since
        self.init(answer: answer, now: dump.moment)
    }
}

extension NodeEntry {
    /// Creates the entry of a node of a dump.
    init(dumped: InspectedNode, now: Timestamp) {
        var node = NodeSnapshot(
            path: dumped.path, state: dumped.state, isActive: dumped.active,
            ageMicroseconds: now.microseconds(since: dumped.since), childCount: dumped.children,
            holder: Self.holder(dumped),
            responders: dumped.responders.map { responder in
                ResponderDeclaration(
                    responder.kind, try? EventName(responder.name), when: responder.when)
            },
            subscriptions: dumped.subscriptions, counters: NamedNumber.list(dumped.counters))
        node.since = dumped.since
        node.isPresented = dumped.relation == .presented
        node.triggers = dumped.triggers
        node.reports = dumped.reports
        node.safety = dumped.safety?.known
        node.detachesOrphans = dumped.orphans == .detach
        self.init(
            node: node, now: now, user: dumped.user, residentBytes: dumped.residentBytes)
    }

    private static func holder(_ node: InspectedNode) -> NodeSnapshot.Holder? {
        node.pid.map { processID in
            NodeSnapshot.Holder(
                session: node.session ?? SessionID(high: 0, low: 0), processID: processID,
                userID: node.uid ?? .max, groupID: node.gid ?? .max, unit: node.unit ?? "",
                program: node.program ?? "")
        }
    }
}

extension NamedNumber {
    fileprivate static func list(_ members: NamedMembers<UInt64>?) -> [NamedNumber] {
        (members ?? [:]).map { NamedNumber($0.name, $0.value) }
    }
}
