// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Publishes an event downward and prints who received it.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish an event to the subscribers at and below a node.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions

    @Option(help: "The publisher.", transform: NodePath.argument)
    var at: NodePath = .root

    @Option(help: "Which of the subscribers get it; 'last' unless said otherwise.")
    var to: PublishingDestination?

    func run() async throws {
        try await Raise(bus: bus, output: output, payload: raised)
            .run(
                RaiseOptions(
                    .down(to ?? .last), from: .outsider(at),
                    deadlineMilliseconds: raised.deadline?.milliseconds ?? 0))
    }
}
