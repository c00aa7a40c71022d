// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// Triggers an event and prints the outcome.
struct Trigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Trigger an event, and print its outcome.",
        discussion: """
            The event is triggered as by a child of --from: it visits the responders of --from \
            first, then those above.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var raised: PayloadOptions
    @OptionGroup var upward: UpwardOptions

    @Flag(
        help: """
            Store the event on the bus's disk first: it is held until it is handled, for a day or \
            the time of --hold, even if the daemon or the machine restarts.
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
