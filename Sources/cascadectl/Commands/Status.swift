// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Prints the status of the bus or of a node.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the full status of the bus, or of one node.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(
        help: "Path of the node; otherwise the bus itself.", completion: .nodes,
        transform: NodePath.argument)
    var path: NodePath?

    func run() async throws {
        let inspection = Inspection(inspected)
        guard let path else {
            try await inspection.show(.bus) { message, _ in
                BusDocument(answer: try BusAnswer(parsing: message), now: .now)
            } dumped: { dump in
                try BusDocument(dump)
            }
            return
        }
        if let file = inspected.dump {
            try inspected.output.conclude(node(path, in: Dump(readingFile: file)))
            return
        }
        try await show(path)
    }

    /// Prints the node once, or again after each change.
    private func show(_ path: NodePath) async throws {
        let subjects: [Query.Subject] = [
            .tree(path: path, depth: 0), .environment(path: path, key: nil),
            .preferences(path: path),
        ]
        guard inspected.watch else {
            try await inspected.bus.withBus { bus in
                try inspected.output.conclude(try await node(subjects, bus))
            }
            return
        }
        let screen = WatchScreen(inspected.output)
        try await inspected.bus.watchBus(screen.showConnection) { bus in
            // A change during a query causes another round.
            let changes = try await bus.changes(subjects)
            screen.show(try await node(subjects, bus))
            var place = PlaceWatch(wasShown: true)
            for await _ in changes {
                try await place.show {
                    screen.show(try await node(subjects, bus))
                } absence: {
                    screen.show($0)
                }
            }
        }
    }

    private func node(_ path: NodePath, in dump: Dump) throws -> NodeDocument {
        NodeDocument(
            bus: dump.bus, entry: try dump.entries(from: path, depth: 0)[0],
            values: try dump.environment(at: path), preferences: try dump.preferences(at: path),
            lastOutcomes: .none)
    }

    private func node(_ subjects: [Query.Subject], _ bus: Bus) async throws -> NodeDocument {
        guard let node = try TreeAnswer(parsing: await bus.link.query(subjects[0])).nodes.first
        else {
            throw Stop(.protocolError, "the bus's answer names no node")
        }
        let environment = try JSONValue(answer: await bus.link.query(subjects[1]))
        let preferences = try JSONValue(answer: await bus.link.query(subjects[2]))
        return NodeDocument(
            bus: bus.welcome.bus, entry: NodeEntry(node: node, now: .now),
            values: environment["values"]?.elements ?? [],
            preferences: preferences["preferences"]?.members ?? [],
            lastOutcomes: LastOutcomes(
                answer: try JSONValue(answer: await bus.link.query(LastOutcomes.query(node.path)))))
    }
}
