// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Raises an event and prints how it ended.
struct Trigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Raise an event and print how it ended.",
        discussion: """
            The event is raised as a child of --from would raise it: it visits the responders of \
            --from first, then those above.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions

    func run() async throws {
        try await Raise(
            bus: bus, output: output, raising: raised.raising(),
            options: upward.options(.event, deadline: raised.deadline, raised.traceParent),
            doesNotWait: upward.doesNotWait
        ).run()
    }
}
