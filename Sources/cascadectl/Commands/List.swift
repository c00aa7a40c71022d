// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Lists the nodes, one a line.
struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the nodes, one a line.")

    /// The sort order of the list.
    enum Order: String, ExpressibleByArgument, CaseIterable {
        case path, state, pid, user, unit, age, visits
    }

    @OptionGroup var inspected: InspectionOptions

    @Option(help: "State of the nodes to list.")
    var state: NodeState?

    @Option(help: "User of the nodes to list, by name or number.")
    var user: String?

    @Option(help: "Systemd unit of the nodes to list.")
    var unit: String?

    @Option(help: "Sort key; otherwise tree order.")
    var sort: Order?

    func run() async throws {
        let inspection = Inspection(inspected)
        try await inspection.show(.tree(path: .root, depth: .max)) { message, bus in
            let nodes = try TreeAnswer(parsing: message).nodes
            let now = Timestamp.now
            return document(bus.welcome.bus, nodes.map { NodeEntry(node: $0, now: now) })
        } dumped: { dump in
            document(dump.bus, try dump.entries())
        }
    }

    private func document(_ bus: String, _ entries: [NodeEntry]) -> ListDocument {
        ListDocument(bus: bus, entries: sorted(entries.filter(isWanted)))
    }

    private func isWanted(_ entry: NodeEntry) -> Bool {
        let isOfUser =
            user.map { user in
                entry.user == user || entry.node.holder.map { String($0.userID) } == user
            } ?? true
        return isOfUser && (state.map { $0 == entry.node.state } ?? true)
            && (unit.map { $0 == entry.unit } ?? true)
    }

    private func sorted(_ entries: [NodeEntry]) -> [NodeEntry] {
        switch sort {
        case nil: entries
        case .path: entries.sorted { $0.node.path.description < $1.node.path.description }
        case .state: entries.sorted { $0.node.state.rawValue < $1.node.state.rawValue }
        case .pid: entries.sorted { $0.processID < $1.processID }
        case .user: entries.sorted { ($0.user ?? "") < ($1.user ?? "") }
        case .unit: entries.sorted { ($0.unit ?? "") < ($1.unit ?? "") }
        case .age: entries.sorted { $0.node.ageMicroseconds > $1.node.ageMicroseconds }
        case .visits: entries.sorted { $0.visitCount > $1.visitCount }
        }
    }
}

extension NodeEntry {
    fileprivate var processID: UInt32 {
        node.holder?.processID ?? .max
    }

    fileprivate var visitCount: UInt64 {
        node.counter("visits") ?? 0
    }
}
