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

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var repetition: WatchOption

    @Argument(help: "Where to begin.", transform: NodePath.argument)
    var path: NodePath = .root

    @Option(help: "How many levels to show below it; all unless said otherwise.")
    var depth: UInt32?

    @Flag(help: "Show which nodes each systemd unit holds.")
    var units = false

    func run() async throws {
        let inspection = Inspection(bus: bus, output: output, watch: repetition.watch)
        let subject = Query.Subject.tree(path: path, depth: depth ?? .max)
        try await inspection.show(subject) { message, earlier, bus in
            let answer = try TreeAnswer(parsing: message)
            let shown = try earlier.map { try TreeAnswer(parsing: $0).nodes } ?? []
            let tree = TreeDocument(
                bus: bus.welcome.bus, nodes: answer.nodes, now: .now,
                earlier: Dictionary(shown.map { ($0.path, $0) }) { $1 })
            return units ? UnitsDocument(tree: tree) : tree
        }
    }
}
