// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints the trail of an event.
struct Trace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the trail of an event: each visit, its verdict, and the time it took.",
        discussion: "The bus remembers the latest events; of others it knows nothing any more.")

    @OptionGroup var watched: WatchOptions

    @Argument(help: "The event's ID.", transform: EventID.argument)
    var id: EventID

    func run() async throws {
        try await Inspection(watched).show(.trace(id)) { message, _ in
            TraceDocument(json: try JSONValue(answer: message))
        }
    }
}
