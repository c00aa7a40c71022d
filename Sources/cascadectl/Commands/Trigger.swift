// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Triggers an event and prints the outcome.
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

    @Flag(
        help: """
            Have it on the bus's disk before it is on its way: it is held until it is handled, for \
            a day or as --hold says, even if the daemon or the machine ends meanwhile.
            """)
    var durable = false

    func run() async throws {
        var options = upward.options(.event, deadline: raised.deadline, raised.traceParent)
        if durable {
            options.flags.insert(.durable)
        }
        try await Raise(
            bus: bus, output: output, raising: raised.raising(), options: options,
            doesNotWait: upward.doesNotWait
        ).run()
    }
}
