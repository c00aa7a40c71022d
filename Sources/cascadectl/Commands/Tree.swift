// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Shows the hierarchy.
struct Tree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the hierarchy.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Where to begin.", transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "How many levels to show below it; all unless said otherwise.")
    var depth: UInt32?

    @Flag(help: "Show which nodes each systemd unit holds.")
    var units = false

    func run() async throws {
        let inspection = Inspection(inspected)
        try await inspection.show(.tree(path: path, depth: depth ?? .max)) { message, bus in
            let nodes = try TreeAnswer(parsing: message).nodes
            let now = Timestamp.now
            return document(bus.welcome.bus, nodes.map { NodeEntry(node: $0, now: now) })
        } dumped: { dump in
            document(dump.bus, try dump.entries(from: path, depth: depth ?? .max))
        }
    }

    private func document(_ bus: String, _ entries: [NodeEntry]) -> any Document {
        let tree = TreeDocument(bus: bus, entries: entries)
        return units ? UnitsDocument(tree: tree) : tree
    }
}
