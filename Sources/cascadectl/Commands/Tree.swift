// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the tree.
struct Tree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the tree.",
        discussion: """
            RATE is the number of visits and deliveries that a node answers per second, averaged \
            since it attached or, with --watch, since the previous tree.
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Root of the subtree to show.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "Number of levels below the root of the subtree; otherwise all.")
    var depth: UInt32?

    @Flag(help: "Group the nodes by systemd unit.")
    var units = false

    @Option(
        name: .customLong("env"),
        help: ArgumentHelp("Key whose value is shown for each node.", valueName: "key"),
        completion: .keys, transform: EventName.argument)
    var key: EventName?

    func validate() throws {
        guard key == nil || !units else {
            throw ValidationError("--env and --units exclude each other")
        }
    }

    func run() async throws {
        if let key, inspected.dump == nil {
            try await show(key)
            return
        }
        let inspection = Inspection(inspected)
        let subject = Query.Subject.tree(path: path, depth: depth ?? .max)
        try await inspection.show(subject) { message, earlier, bus in
            let nodes = try TreeAnswer(parsing: message).nodes
            let shown = try earlier.map { try TreeAnswer(parsing: $0).nodes } ?? []
            let now = Timestamp.now
            return document(
                TreeDocument(
                    bus: bus.welcome.bus, entries: nodes.map { NodeEntry(node: $0, now: now) },
                    earlier: Dictionary(shown.map { ($0.path, $0) }) { $1 }))
        } dumped: { dump in
            let entries = try dump.entries(from: path, depth: depth ?? .max)
            return document(try tree(entries, of: dump))
        }
    }

    /// Prints the tree with values, once or again after each change.
    private func show(_ key: EventName) async throws {
        let subjects: [Query.Subject] = [
            .tree(path: path, depth: depth ?? .max), .environmentTree(key: key, path: path),
        ]
        guard inspected.watch else {
            try await inspected.bus.withBus { bus in
                try inspected.output.conclude(
                    try await tree(subjects, key, bus, earlier: nil))
            }
            return
        }
        let screen = WatchScreen(inspected.output)
        try await inspected.bus.watchBus(screen.showConnection) { bus in
            // A change during a query causes another round.
            let changes = try await bus.changes(subjects)
            var shown = try await tree(subjects, key, bus, earlier: nil)
            screen.show(shown)
            var place = PlaceWatch(wasShown: true)
            for await _ in changes {
                try await place.show {
                    shown = try await tree(subjects, key, bus, earlier: shown)
                    screen.show(shown)
                } absence: {
                    screen.show($0)
                }
            }
        }
    }

    private func tree(
        _ subjects: [Query.Subject], _ key: EventName, _ bus: Bus, earlier: TreeDocument?
    ) async throws -> TreeDocument {
        let nodes = try TreeAnswer(parsing: await bus.link.query(subjects[0])).nodes
        let values = try JSONValue(answer: await bus.link.query(subjects[1]))
        let now = Timestamp.now
        return TreeDocument(
            bus: bus.welcome.bus, entries: nodes.map { NodeEntry(node: $0, now: now) },
            earlier: Dictionary((earlier?.entries ?? []).map { ($0.node.path, $0.node) }) { $1 },
            column: ValueColumn(key: key, answer: values))
    }

    private func tree(_ entries: [NodeEntry], of dump: Dump) throws -> TreeDocument {
        let column = try key.map { key in
            ValueColumn(key: key, environment: try dump.document("environment"))
        }
        return TreeDocument(bus: dump.bus, entries: entries, column: column)
    }

    private func document(_ tree: TreeDocument) -> any Document {
        units ? UnitsDocument(tree: tree) : tree
    }
}
