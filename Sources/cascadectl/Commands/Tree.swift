// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Shows the hierarchy.
struct Tree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the hierarchy.")

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
        try await inspection.show(.tree(path: path, depth: depth ?? .max)) { message, bus in
            let answer = try TreeAnswer(parsing: message)
            let tree = TreeDocument(bus: bus.welcome.bus, nodes: answer.nodes, now: .now)
            return units ? UnitsDocument(tree: tree) : tree
        }
    }
}
