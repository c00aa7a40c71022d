// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Prints the tree.
struct Tree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the tree.",
        discussion: """
            RATE is the number of visits and deliveries that a node answers per second, averaged \
            since it attached or, with --watch, since the previous tree.

            Example: cascadectl tree /kitchen --depth 2
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Root of the subtree to show.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Number of levels below the root of the subtree; otherwise all.", valueName: "levels"))
    var depth: UInt32?

    @Flag(help: "Nodes grouped by systemd unit.")
    var units = false

    @Option(
        name: .customLong("env"),
        help: ArgumentHelp("Key whose value is shown for each node.", valueName: "key"),
        completion: .keys, transform: EventName.argument)
    var key: EventName?

    @Flag(help: "Nodes of all sites that can be seen, as one tree.")
    var sites = false

    func validate() throws {
        guard key == nil || !units else {
            throw ValidationError("--env and --units exclude each other")
        }
        let others = [
            ("--env", key != nil), ("--units", units), ("--site", inspected.asked.site != nil),
            ("--dump", inspected.dump != nil),
        ]
        if sites, let other = others.first(where: \.1)?.0 {
            throw ValidationError("--sites and \(other) exclude each other")
        }
    }

    func run() async throws {
        if sites {
            try await showSites()
            return
        }
        if let key, inspected.dump == nil {
            try await show(key)
            return
        }
        let inspection = Inspection(inspected)
        let subject = Query.Subject.tree(path: path, depth: depth ?? .max)
        try await inspection.show(subject) { message, earlier, bus in
            let nodes = try TreeAnswer(parsing: message).nodes
            let shown = try earlier.map { try TreeAnswer(parsing: $0).nodes } ?? []
            return document(
                TreeListing(
                    bus: bus.name, entries: bus.entries(nodes),
                    earlier: Dictionary(shown.map { ($0.path, $0) }) { $1 }))
        } dumped: { dump in
            let entries = try dump.entries(from: path, depth: depth ?? .max)
            return document(try tree(entries, of: dump))
        }
    }

    /// Prints the nodes of all sites, once or again and again.
    private func showSites() async throws {
        let output = inspected.output
        guard inspected.watch else {
            try await inspected.bus.withBus { bus in
                output.show(try await joinedTree(bus))
            }
            return
        }
        let screen = try WatchScreen(output)
        try await inspected.bus.watchBus(screen.showConnection) { bus in
            try await bus.poll(screen) { _ in ([], try await joinedTree(bus)) }
        }
    }

    /// Asks the sites for their nodes.
    private func joinedTree(_ bus: Bus) async throws -> JoinedTreeDocument {
        let tree = JoinedTree(await bus.realm()).limited(to: path, depth: Int(depth ?? .max))
        guard !tree.lines.isEmpty else {
            throw CascadeError(.refused, "there is no node at '\(path)'", reason: .noSuchNode)
        }
        return JoinedTreeDocument(bus: bus.name, tree: tree, now: .now)
    }

    /// Prints the tree with the values of a key, once or again after each change.
    private func show(_ key: EventName) async throws {
        guard inspected.watch else {
            try await inspected.bus.withBus(asking: inspected.asked.site) { bus in
                try await bus.reaching(path) { bus, path in
                    try inspected.output.conclude(
                        try await tree(subjects(path, key), key, bus, earlier: nil))
                }
            }
            return
        }
        let screen = try WatchScreen(inspected.output)
        try await inspected.bus.watchBus(asking: inspected.asked.site, screen.showConnection) {
            bus in
            let (bus, path) = try await bus.located(path)
            let subjects = subjects(path, key)
            guard bus.asked == nil else {
                try await bus.poll(screen) { _ in
                    ([], try await tree(subjects, key, bus, earlier: nil))
                }
                return
            }
            // A change while the answers are read causes another round.
            let changes = try await bus.changes(subjects)
            var shown = try await tree(subjects, key, bus, earlier: nil)
            screen.show(shown)
            var place = AbsenceWatch(of: .place, wasShown: true)
            for await _ in changes {
                try await place.watch {
                    shown = try await tree(subjects, key, bus, earlier: shown)
                    screen.show(shown)
                } reporting: {
                    screen.show($0)
                }
            }
        }
    }

    private func subjects(_ path: NodePath, _ key: EventName) -> [Query.Subject] {
        [.tree(path: path, depth: depth ?? .max), .environmentTree(key: key, path: path)]
    }

    /// Asks the bus for the tree with the values of a key.
    private func tree(
        _ subjects: [Query.Subject], _ key: EventName, _ bus: Bus, earlier: TreeListing?
    ) async throws -> TreeListing {
        let nodes = try TreeAnswer(parsing: await bus.query(subjects[0])).nodes
        let values = try KeyInTreeDocument(answer: await bus.query(subjects[1]))
        return TreeListing(
            bus: bus.name, entries: bus.entries(nodes),
            earlier: Dictionary((earlier?.entries ?? []).map { ($0.node.path, $0.node) }) { $1 },
            column: ValueColumn(key: key, answer: values))
    }

    /// Returns the tree in a dump.
    private func tree(_ entries: [NodeEntry], of dump: Dump) throws -> TreeListing {
        let column = try key.map { key in
            ValueColumn(key: key, environment: try dump.environment())
        }
        return TreeListing(bus: dump.bus, entries: entries, column: column)
    }

    private func document(_ tree: TreeListing) -> any Document {
        units ? UnitListing(tree: tree) : tree
    }
}
