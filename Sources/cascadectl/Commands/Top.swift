// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Prints the busiest nodes.
struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the nodes by traffic, with their queues, latency, errors and memory.",
        discussion: """
            On a terminal and with --watch, the list is repeated once per second until \
            interrupted; otherwise it is printed once. Visits per second are averaged since the \
            previous list, at first since the node attached.
            """)

    @OptionGroup var inspected: InspectionOptions

    func run() async throws {
        if let dump = inspected.dump {
            let dump = try Dump(readingFile: dump)
            inspected.output.show(TopDocument(bus: dump.bus, entries: try dump.entries()))
            return
        }
        let output = inspected.output
        guard inspected.watch || (!output.json && Output.isTerminal) else {
            try await inspected.bus.withBus { bus in
                output.show(try await Self.document(bus, since: nil))
            }
            return
        }
        let screen = WatchScreen(output)
        try await inspected.bus.watchBus(screen.showConnection) { bus in
            var last: TopDocument?
            while true {
                let document = try await Self.document(bus, since: last)
                screen.show(document)
                last = document
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private static func document(_ bus: Bus, since last: TopDocument?) async throws -> TopDocument {
        let message = try await bus.link.query(.tree(path: .root, depth: .max))
        let now = Timestamp.now
        let entries = try TreeAnswer(parsing: message).nodes.map { NodeEntry(node: $0, now: now) }
        return TopDocument(bus: bus.welcome.bus, entries: entries, since: last)
    }
}
