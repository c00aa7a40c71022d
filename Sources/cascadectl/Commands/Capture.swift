// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Records the bus's monitor events.
struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record the bus's events in a file, for 'replay'.",
        discussion: """
            Writes one JSON line per bus event, in the format of 'monitor --payloads --json', \
            until interrupted. The file contains payloads of all users and is created with mode \
            0600.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var happenings: HappeningOptions

    @Argument(help: "File to create; an existing file is refused.", completion: .file())
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
