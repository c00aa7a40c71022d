// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeWire

/// The options of commands that take nodes out of the tree.
struct DepartureOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Flag(help: "Include the node's subtree.")
    var subtree = false

    /// Makes the change, after a confirmation if more than one node is affected.
    func run(
        _ verb: String, _ change: Administer.Change, told: TopologyDocument.Change
    ) async throws {
        let paths = try await bus.withBus { bus in
            let paths = try await bus.paths(from: path, depth: subtree ? .max : 0)
            try confirmation.confirm(verb, paths, isNeeded: true)
            try await bus.administer(change)
            return paths
        }
        output.show(TopologyDocument(change: told, path: path, nodes: paths))
    }
}
