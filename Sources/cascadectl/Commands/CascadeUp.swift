// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Triggers a cascading action.
struct CascadeUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade",
        abstract: "Let every node above act, nearest first, and print who did.",
        discussion: """
            It starts as a child of --from would start it. Nobody can stop it, and that nobody \
            acts is no failure.
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
