// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints monitor events as they occur.
struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the bus's events as they occur.",
        discussion: """
            Prints one line per event, until interrupted. In a pattern '*' stands for any \
            characters and '?' for one. The bus filters the events. A line reports a lost \
            connection, and another its return and the gap; with --since, remembered events from \
            the gap follow, without those already shown.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @OptionGroup var happenings: HappeningOptions

    @Option(
        help: ArgumentHelp(
            "Time before now from which remembered events are printed first.", valueName: "time"))
    var since: TimeSpan?

    @Flag(help: "Include the payloads and attributes of messages.")
    var payloads = false

    func run() async throws {
        var filter = happenings.filter
        filter.sinceMilliseconds = since?.milliseconds ?? 0
        filter.withPayloads = payloads
        let output = output
        let shown = ShownHappenings()
        try await bus.watchBus {
            output.show($0)
            shown.changed($0)
        } _: { [filter] bus in
            for try await message in try await bus.answers(.monitor(filter)) {
                let happening = try JSONValue(answer: message)
                if shown.insert(happening) {
                    output.show(HappeningDocument(json: happening))
                }
            }
        }
    }
}
