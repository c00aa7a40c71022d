// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Makes a node active.
struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Activate a node: it counts as a subscriber, the most recent one.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    func run() async throws {
        try await bus.withBus { bus in try await bus.link.activate(path, isActive: true) }
        output.show(ActivityDocument(path: path, isActive: true))
    }
}
