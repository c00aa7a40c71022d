// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Moves a node to another parent.
struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move a node and its subtree to another parent.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Argument(
        help: "Path of the new parent; the node keeps its name.", completion: .nodes,
        transform: NodePath.argument)
    var newParent: NodePath

    func run() async throws {
        let paths = try await bus.withBus { bus in
            let paths = try await bus.paths(from: path, depth: .max)
            try confirmation.confirm("Move", paths, isNeeded: false)
            try await bus.administer(.move(path: path, under: newParent))
            return paths
        }
        output.show(
            TopologyDocument(
                change: .moved(to: try newParent.appending(path.name)), path: path, nodes: paths))
    }
}
