// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the whole state of a bus.
struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print the whole state of the bus as one JSON document.",
        discussion: """
            Every inspection can read such a document with --dump FILE. With --watch, a line \
            follows for each change: a JSON Patch (RFC 6902) for the previous document.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Print a line of differences after each change, until interrupted.")
    var watch = false

    func run() async throws {
        let output = output
        guard watch else {
            try await bus.withBus { output.show(try await DumpDocument(asking: $0)) }
            return
        }
        try await bus.watchBus {
            output.show($0)
        } _: { bus in
            var last = try await DumpDocument(asking: bus)
            output.show(last)
            for try await _ in try await bus.changes([
                .tree(path: .root, depth: .max), .undelivered, .check, .rules,
                .monitor(MonitorFilter(kinds: [.env])),
            ]) {
                let next = try await DumpDocument(asking: bus)
                let operations = JSONDifference(from: last.json, to: next.json).operations
                Output.line(JSONValue.document("difference", ["patch": .array(operations)]).text)
                last = next
            }
        }
    }
}
