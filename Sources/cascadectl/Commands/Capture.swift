// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Records the bus's monitor events.
struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record what happens on the bus, for 'replay'.",
        discussion: """
            One line a happening, as 'monitor --payloads --json' prints it, until interrupted. \
            The file has everybody's payloads in it, and nobody but you may read it.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var happenings: HappeningOptions

    @Argument(help: "The file, which is not there yet.", completion: .file())
    var file: String

    func run() async throws {
        var filter = happenings.filter
        filter.withPayloads = true
        let bus = try await Bus.open(bus)
        let append = try CaptureFile.create(file, bus: bus.welcome.bus)
        try await bus.watched { connection in
            Output.diagnostic(connection.text(Style(isColoured: false)))
            // A write error ends the capture with the next monitor event.
            try? append(connection.json)
        } _: { [filter] bus in
            let answers = try await bus.answers(.monitor(filter))
            Output.diagnostic("recording to \(file.safeForTerminal) until interrupted")
            for try await message in answers {
                try append(JSONValue(answer: message))
            }
        }
    }
}
