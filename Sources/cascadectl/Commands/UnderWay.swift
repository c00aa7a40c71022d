// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Lists the messages under way.
struct UnderWay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "under-way", abstract: "List the messages under way, the oldest first.",
        discussion: """
            Prints at most 64 messages, each with the node that has it, for how long, and the time \
            until the node's deadline. A last line has the number of the others; 'undelivered' lists \
            the held ones. With --watch, the bus is asked again every second.

            Example: cascadectl under-way
            """)

    @OptionGroup var watched: WatchOptions

    func run() async throws {
        let output = watched.output
        guard watched.watch else {
            try await watched.bus.withBus(asking: watched.asked.site) { bus in
                output.show(UnderWayListing(received: try await Self.document(bus).1))
            }
            return
        }
        let screen = try WatchScreen(output)
        try await watched.bus.watchBus(asking: watched.asked.site, screen.showConnection) { bus in
            // The bus does not tell changes of the messages under way.
            try await bus.poll(screen) { _ in
                let (message, received) = try await Self.document(bus)
                return (message, UnderWayListing(received: received))
            }
        }
    }

    private static func document(
        _ bus: Bus
    ) async throws -> ([UInt8], ReceivedDocument<UnderWayDocument>) {
        let message = try await bus.query(.underWay)
        return (message, try ReceivedDocument(parsing: message))
    }
}

/// The messages under way, with their ages.
struct UnderWayListing: Document {
    let received: ReceivedDocument<UnderWayDocument>
    /// The time of the document, for ages.
    var now = Timestamp.now

    var json: JSONValue {
        received.json
    }

    func text(_ style: Style) -> String {
        let content = received.content
        let others = content.count - min(content.count, UInt64(content.underWay.count))
        let more = "\(others) more, held ones included: see 'undelivered'"
        guard !content.underWay.isEmpty else {
            return others == 0 ? "no messages under way" : "no messages to list; \(more)"
        }
        var table = Table(
            ["ID", "LANE", "NAME", "ORIGIN", "AGE", "NODE", "FOR", "LEFT"], whole: [0, 4, 6, 7])
        for entry in content.underWay {
            let left = entry.deadline.map { Age.text(microseconds: $0.microseconds(since: now)) }
            table.append([
                Cell(entry.id.description), Cell(entry.lane.rawValue),
                Cell(entry.name.description), Cell(entry.origin?.description ?? ""),
                Cell(Age.text(microseconds: now.microseconds(since: entry.begun))),
                Cell(entry.by?.description ?? ""),
                Cell(Age.text(microseconds: now.microseconds(since: entry.since))),
                Cell(left ?? ""),
            ])
        }
        return table.text(style) + (others > 0 ? "\n\(more)" : "")
    }
}
