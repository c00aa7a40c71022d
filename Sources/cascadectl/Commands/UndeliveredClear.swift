// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Removes the undelivered messages.
struct UndeliveredClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove the undelivered messages; held ones stay.")

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let message = try await bus.withBus { bus in
            try await bus.administer(.clearUndelivered)
            return try await bus.link.query(.undelivered)
        }
        output.show(UndeliveredDocument(json: try JSONValue(answer: message)))
    }
}
