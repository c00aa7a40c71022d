// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints monitor events as they occur.
struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what happens on the bus, as it happens.",
        discussion: """
            One line a happening, until interrupted. In a pattern '*' stands for any characters \
            and '?' for one. The bus sends no more than what is asked for. A line says when the \
            bus has gone, another that it is back, and what was not seen meanwhile; with \
            --since, what the bus still knows of that follows, and nothing that was shown before.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @OptionGroup var happenings: HappeningOptions

    @Option(
        help: ArgumentHelp(
            "Begin so long ago, as far as the bus remembers.", valueName: "time"))
    var since: TimeSpan?

    @Flag(help: "Show what is raised and published with its payload and attributes.")
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
