// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Prints the whole state of a bus.
struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print the whole state of the bus as JSON.",
        discussion: """
            Commands with the option --dump read such a document. With --watch, a line \
            follows for each change: a JSON Patch (RFC 6902) for the previous document.

            Example: cascadectl dump > bus.json
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    // A dump has one format, without colours: the options have no effect.
    @OptionGroup(visibility: .hidden) var output: OutputOptions

    @Flag(help: "Line of differences after each change, until interrupted.")
    var watch = false

    func run() async throws {
        let output = output
        guard watch else {
            try await bus.withBus(asking: asked.site) { output.show(try await BusDump(asking: $0)) }
            return
        }
        guard asked.site == nil else {
            throw Stop(.usage, "--watch and --site exclude each other")
        }
        try await bus.watchBus {
            output.show($0)
        } _: { bus in
            var last = try await BusDump(asking: bus)
            output.show(last)
            for try await _ in try await bus.changes([
                .tree(path: .root, depth: .max), .undelivered, .check, .rules,
                .monitor(MonitorFilter(kinds: [.env])),
            ]) {
                let next = try await BusDump(asking: bus)
                let operations = JSONDifference(from: last.json, to: next.json).operations
                Output.line(DifferenceDocument(patch: operations).jsonText)
                last = next
            }
        }
    }
}

/// The whole state of a bus.
struct BusDump: Document {
    let json: JSONValue

    /// Queries the bus for its whole state.
    init(asking bus: Bus) async throws {
        let now = Timestamp.now
        let tree = try TreeAnswer(parsing: await bus.query(.tree(path: .root, depth: .max)))
        let status = try BusAnswer(parsing: await bus.query(.bus))
        let entries = bus.entries(tree.nodes, now: now)
        json = .members([
            "schema": .string(DumpDocument.schemaName),
            "when": .text(now),
            "bus": .string(bus.name),
            "tree": TreeDocument(
                bus: bus.name, nodes: entries.map(\.whole)
            ).json,
            "status": BusStatusDocument(status, now: now).json,
            "subscribers": try await Self.subscribers(tree.nodes, bus),
            "undelivered": try await Self.received(UndeliveredDocument.self, .undelivered, bus),
            "check": try await Self.received(CheckDocument.self, .check, bus),
            "environment": try await Self.list(tree.nodes) { path in
                let query = Query.Subject.environment(path: path, key: nil)
                let values = try EnvironmentDocument(answer: await bus.query(query)).values
                return values.isEmpty ? nil : NodeEnvironmentEntry(path: path, values: values)
            },
            "preferences": try await Self.list(tree.nodes) { path in
                let answer = try PreferencesDocument(
                    answer: await bus.query(.preferences(path: path)))
                return answer.preferences.isEmpty
                    ? nil
                    : NodePreferencesEntry(
                        path: path, preferences: answer.preferences, reducers: answer.reducers)
            },
            "rules": try await Self.received(RulesDocument.self, .rules, bus),
        ])
    }

    /// Returns the bus's answer to a query as received.
    private static func received<Content: InspectionDocument>(
        _: Content.Type, _ subject: Query.Subject, _ bus: Bus
    ) async throws -> JSONValue {
        try ReceivedDocument<Content>(parsing: await bus.query(subject)).json
    }

    /// Returns the entry of each node that has one.
    private static func list(
        _ nodes: [NodeSnapshot], _ entry: (NodePath) async throws -> (some Encodable)?
    ) async throws -> JSONValue {
        var entries: [JSONValue] = []
        for node in nodes {
            do {
                if let entry = try await entry(node.path) {
                    entries.append(try JSONValue(encoding: entry))
                }
            } catch let error as CascadeError where error.reason == .noSuchNode {
                // The node has left since the query for the tree.
                continue
            }
        }
        return .array(entries)
    }

    /// Returns the subscribers of each name with subscriptions, for publications from the root.
    private static func subscribers(_ nodes: [NodeSnapshot], _ bus: Bus) async throws -> JSONValue {
        var members: [JSONValue.Member] = []
        for name in Set(nodes.flatMap(\.subscribedNames).map(\.description)).sorted() {
            let subject = Query.Subject.subscribers(name: try EventName(name), path: .root)
            let answer = try SubscribersAnswer(parsing: await bus.query(subject))
            members.append(
                JSONValue.Member(key: name, value: SubscribersDocument(answer).json))
        }
        return .object(members)
    }

    /// Returns the JSON, which is the only format of a dump.
    func text(_ style: Style) -> String {
        json.text
    }
}

// MARK: - Differences

/// The difference of two JSON documents as a JSON Patch (RFC 6902).
struct JSONDifference {
    private(set) var operations: [JSONValue] = []

    init(from old: JSONValue, to new: JSONValue) {
        compare(old, new, at: "")
    }

    private mutating func compare(_ old: JSONValue, _ new: JSONValue, at pointer: String) {
        guard old != new else {
            return
        }
        switch (old, new) {
        case (.object(let old), .object(let new)): compare(old, new, at: pointer)
        case (.array(let old), .array(let new)): compare(old, new, at: pointer)
        default: append("replace", pointer, new)
        }
    }

    private mutating func compare(
        _ old: [JSONValue.Member], _ new: [JSONValue.Member], at pointer: String
    ) {
        let oldKeys = Set(old.map(\.key))
        let newValues = Dictionary(new.map { ($0.key, $0.value) }) { $1 }
        for member in old {
            let memberPointer = pointer + "/" + Self.escaped(member.key)
            if let value = newValues[member.key] {
                compare(member.value, value, at: memberPointer)
            } else {
                append("remove", memberPointer)
            }
        }
        for member in new where !oldKeys.contains(member.key) {
            append("add", pointer + "/" + Self.escaped(member.key), member.value)
        }
    }

    /// Compares arrays. Elements with the same identity are matched from both ends, so that an
    /// insertion or removal in the middle leaves the others unchanged.
    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue], at pointer: String) {
        let front = zip(old, new).prefix { Self.isSame($0, $1) }.count
        let back = zip(old.dropFirst(front).reversed(), new.dropFirst(front).reversed())
            .prefix { Self.isSame($0, $1) }.count
        for index in 0..<front {
            compare(old[index], new[index], at: "\(pointer)/\(index)")
        }
        for index in (front..<(old.count - back)).reversed() {
            append("remove", "\(pointer)/\(index)")
        }
        for index in front..<(new.count - back) {
            append("add", "\(pointer)/\(index)", new[index])
        }
        for distance in (0..<back).reversed() {
            compare(
                old[old.count - 1 - distance], new[new.count - 1 - distance],
                at: "\(pointer)/\(new.count - 1 - distance)")
        }
    }

    /// Returns whether two elements have the same identity; without one, whether they are equal.
    private static func isSame(_ old: JSONValue, _ new: JSONValue) -> Bool {
        for key in ["path", "id", "index"] {
            if let name = old[key] {
                return name == new[key]
            }
        }
        return old == new
    }

    /// Returns a key as part of a JSON Pointer (RFC 6901).
    private static func escaped(_ key: String) -> String {
        key.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }

    private mutating func append(_ operation: String, _ pointer: String, _ value: JSONValue? = nil)
    {
        operations.append(
            .members(["op": .string(operation), "path": .string(pointer), "value": value]))
    }
}
