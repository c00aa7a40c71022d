// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the trail of an event.
struct Trace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the trail of an event: each visit with its verdict and duration.",
        discussion: "The bus keeps the trails of the latest events only.")

    @OptionGroup var watched: WatchOptions

    @Argument(help: "ID of the event.", transform: EventID.argument)
    var id: EventID

    func run() async throws {
        try await Inspection(watched).show(.trace(id)) { message, _ in
            TraceDocument(json: try JSONValue(answer: message))
        }
    }
}
