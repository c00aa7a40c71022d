// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Shows the bus, or one node, whole.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the bus, or one node, with everything that is known of it.")

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "The node; the bus itself without one.", transform: NodePath.argument)
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
        try await inspection.show(.tree(path: path, depth: 0)) { message, bus in
            guard let node = try TreeAnswer(parsing: message).nodes.first else {
                throw Stop(.protocolError, "the bus's answer names no node")
            }
            return NodeDocument(bus: bus.welcome.bus, entry: NodeEntry(node: node, now: .now))
        } dumped: { dump in
            NodeDocument(bus: dump.bus, entry: try dump.entries(from: path, depth: 0)[0])
        }
    }
}
