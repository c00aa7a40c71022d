// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Makes a node and its subtree inactive.
struct Deactivate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deactivate a node and its subtree: they no longer count as subscribers.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    func run() async throws {
        try await bus.withBus { bus in try await bus.link.activate(path, isActive: false) }
        output.show(ActivityDocument(path: path, isActive: false))
    }
}
