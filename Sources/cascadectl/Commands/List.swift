// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Lists the nodes, one per line.
struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the nodes, one a line.",
        discussion: """
            Example: cascadectl list --state vacant --sort age
            """)

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

    @Option(help: ArgumentHelp("Sort key; otherwise tree order.", valueName: "key"))
    var sort: Order?

    func run() async throws {
        let inspection = Inspection(inspected)
        try await inspection.show(.tree(path: .root, depth: .max)) { message, bus in
            let nodes = try TreeAnswer(parsing: message).nodes
            return document(bus.name, bus.entries(nodes))
        } dumped: { dump in
            document(dump.bus, try dump.entries())
        }
    }

    private func document(_ bus: String, _ entries: [NodeEntry]) -> NodeListing {
        NodeListing(bus: bus, entries: sorted(entries.filter(isWanted)))
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

/// The nodes, one per line.
struct NodeListing: Document {
    let bus: String
    let entries: [NodeEntry]

    var json: JSONValue {
        ListDocument(bus: bus, nodes: entries.map(\.brief)).json
    }

    func text(_ style: Style) -> String {
        var table = Table(["PATH", "STATE", "PID", "USER", "UNIT", "AGE", "QUEUE", "VISITS"])
        for entry in entries {
            let node = entry.node
            table.append([
                Cell(node.path.description),
                Cell(node.state.name, node.state.colour),
                Cell(node.holder.map { String($0.processID) } ?? ""),
                Cell(entry.user ?? ""),
                Cell(entry.unit ?? ""),
                Cell(Age.text(microseconds: node.ageMicroseconds)),
                Cell(node.counter("queue").map(String.init) ?? ""),
                Cell(node.counter("visits").map(String.init) ?? ""),
            ])
        }
        return table.text(style)
    }
}

extension NodeSnapshot {
    /// The mean time from the sending of a visit to its verdict. Only acknowledged visits are
    /// measured.
    var meanMicroseconds: UInt64? {
        guard let count = counter("measured"), count > 0 else {
            return nil
        }
        return counter("latency").map { $0 / count }
    }

    /// The numbers of visits and errors, the mean latency and the queue.
    var visitSummary: String {
        let mean = meanMicroseconds.map {
            ", mean latency \(Age.milliseconds(UInt32(clamping: $0)))"
        }
        return "\(counter("visits") ?? 0) answered, \(counter("errors") ?? 0) failed, "
            + "\(counter("queue") ?? 0) in the queue\(mean ?? "")"
    }
}

// MARK: - Top

/// Prints the busiest nodes.
struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the busiest nodes, with queue and latency.",
        discussion: """
            On a terminal and with --watch, the list is repeated once per second until \
            interrupted; otherwise it is printed once. Visits per second are averaged since the \
            previous list, at first since the node attached.

            Example: cascadectl top
            """)

    @OptionGroup var inspected: InspectionOptions

    func run() async throws {
        if let dump = inspected.dump {
            let dump = try Dump(readingFile: dump)
            inspected.output.show(TrafficListing(bus: dump.bus, entries: try dump.entries()))
            return
        }
        let output = inspected.output
        guard inspected.watch || (!output.json && Output.isTerminal) else {
            try await inspected.bus.withBus(asking: inspected.asked.site) { bus in
                output.show(try await Self.document(bus, since: nil))
            }
            return
        }
        let screen = try WatchScreen(output)
        try await inspected.bus.watchBus(asking: inspected.asked.site, screen.showConnection) {
            bus in
            var last: TrafficListing?
            while true {
                let document = try await Self.document(bus, since: last)
                screen.show(document)
                last = document
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private static func document(
        _ bus: Bus, since last: TrafficListing?
    ) async throws -> TrafficListing {
        let message = try await bus.query(.tree(path: .root, depth: .max))
        let entries = bus.entries(try TreeAnswer(parsing: message).nodes)
        return TrafficListing(bus: bus.name, entries: entries, since: last)
    }
}

/// The nodes that sessions hold, the busiest first.
struct TrafficListing: Document {
    private let content: TopDocument
    private let sample: TrafficSample
    private let states: [NodePath: NodeState]

    /// - Parameter previous: The previous document; rates are averaged since then.
    init(bus: String, entries: [NodeEntry], since previous: TrafficListing? = nil) {
        sample = TrafficSample(
            entries.map { .init($0.whole, ageMicroseconds: $0.node.ageMicroseconds) },
            at: entries.first?.now ?? .now)
        content = TopDocument(bus: bus, sample, since: previous?.sample)
        states = Dictionary(entries.map { ($0.node.path, $0.node.state) }) { $1 }
    }

    var json: JSONValue {
        content.json
    }

    func text(_ style: Style) -> String {
        var table = Table([
            "NODE", "PID", "VISITS/S", "VISITS", "QUEUE", "LATENCY", "ERRORS", "MEMORY",
        ])
        for node in content.nodes {
            table.append([
                Cell(node.path.description, states[node.path]?.colour ?? .plain),
                Cell(node.pid.map(String.init) ?? ""),
                Cell(node.visitsPerSecond.description),
                Cell(String(node.visits)),
                Cell(String(node.queue)),
                Cell(node.meanMicroseconds.map { Age.milliseconds(UInt32(clamping: $0)) } ?? ""),
                Cell(node.errors.map(String.init) ?? ""),
                Cell(node.residentBytes.map(ByteCount.text) ?? ""),
            ])
        }
        return content.nodes.isEmpty ? "no process holds a node" : table.text(style)
    }
}
