// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Triggers a cascading action.
struct CascadeUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade",
        abstract: "Trigger a cascading action, and print the nodes where it ran.",
        discussion: """
            The action runs at --from and at each node above it that has one, nearest first. No \
            node can stop it, and a cascade without any action is a success.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions

    func run() async throws {
        try await Raise(
            bus: bus, output: output, raising: raised.raising(),
            options: upward.options(.cascade, deadline: raised.deadline, raised.traceParent),
            doesNotWait: upward.doesNotWait
        ).run()
    }
}
