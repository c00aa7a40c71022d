// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Takes a node out of the tree at once.
struct Detach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a node out of the tree at once; its process is told.")

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
            try confirmation.confirm("Detach", paths, isNeeded: true)
            try await bus.administer(.detach(path: path, withSubtree: subtree))
            return paths
        }
        output.show(TopologyDocument(change: .detached, path: path, nodes: paths))
    }
}
