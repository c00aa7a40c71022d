// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Shows the hierarchy.
struct Tree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the hierarchy.",
        discussion: """
            RATE is how many events and deliveries a node answers a second: on average since it \
            attached, or with --watch since the tree was shown before.
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Where to begin.", transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "How many levels to show below it; all unless said otherwise.")
    var depth: UInt32?

    @Flag(help: "Show which nodes each systemd unit holds.")
    var units = false

    func run() async throws {
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
            return document(TreeDocument(bus: dump.bus, entries: entries))
        }
    }

    private func document(_ tree: TreeDocument) -> any Document {
        units ? UnitsDocument(tree: tree) : tree
    }
}
