// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Lets a node finish and takes it out of the tree.
struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let a node finish what it accepted, and take it out of the tree.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The node.", transform: NodePath.argument)
    var path: NodePath

    @Flag(help: "All below it too.")
    var subtree = false

    func run() async throws {
        let paths = try await bus.withBus { bus in
            let paths = try await bus.paths(from: path, depth: subtree ? .max : 0)
            try confirmation.confirm("Drain", paths, isNeeded: true)
            try await bus.administer(.drain(path: path, withSubtree: subtree))
            return paths
        }
        output.show(TopologyDocument(change: .drained, path: path, nodes: paths))
    }
}
