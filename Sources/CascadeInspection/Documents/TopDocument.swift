// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

/// The nodes that processes hold, the busiest first.
public struct TopDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/top"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the bus.
    public var bus: String
    public var nodes: [NodeTraffic]
}

/// The traffic of one node.
public struct NodeTraffic: Codable, Hashable, Sendable {
    public var path: NodePath
    /// The process that holds the node.
    public var pid: UInt32?
    /// The number of visits and deliveries that the node has answered since it attached.
    public var visits: UInt64
    /// The visits and deliveries per second, with one decimal: since the previous document of a
    /// sequence, in the first one since the node attached.
    public var visitsPerSecond: Double
    /// The number of visits and deliveries under way to the node.
    public var queue: UInt64
    /// The mean time from the sending of a visit to its verdict, in microseconds.
    public var meanMicroseconds: UInt64?
    /// The number of visits and deliveries that failed.
    public var errors: UInt64?
    /// The resident memory of the process, in bytes, if it runs on the machine that reads the answer.
    public var residentBytes: UInt64?
}

// MARK: - Samples

/// The nodes of a bus at one moment, for the rates in ``TopDocument``.
package struct TrafficSample: Sendable {
    package struct Node: Sendable {
        package let entry: InspectedNode
        /// The time for which its session has held the node.
        package let ageMicroseconds: UInt64

        package init(_ entry: InspectedNode, ageMicroseconds: UInt64) {
            self.entry = entry
            self.ageMicroseconds = ageMicroseconds
        }
    }

    fileprivate let nodes: [Node]
    fileprivate let when: Timestamp

    /// Creates a sample from the nodes in tree order, with their counters.
    package init(_ nodes: [Node], at when: Timestamp) {
        self.nodes = nodes.filter { $0.entry.pid != nil && !$0.entry.path.isRoot }
        self.when = when
    }
}

extension TopDocument {
    /// Creates the document of a sample. The rates are averaged since the previous one.
    package init(bus: String, _ sample: TrafficSample, since previous: TrafficSample?) {
        let earlier = Dictionary((previous?.nodes ?? []).map { ($0.entry.path, $0.entry) }) { $1 }
        let elapsed = previous.map { sample.when.microseconds(since: $0.when) } ?? 0
        let rated = sample.nodes.map { node in
            (node.entry, Self.rate(of: node, since: earlier[node.entry.path], elapsed))
        }
        let sorted = rated.sorted { left, right in
            (left.1, left.0.count("visits") ?? 0) > (right.1, right.0.count("visits") ?? 0)
        }
        self.init(bus: bus, nodes: sorted.map { NodeTraffic($0.0, visitsPerSecond: $0.1) })
    }

    private static func rate(
        of node: TrafficSample.Node, since earlier: InspectedNode?, _ elapsed: UInt64
    ) -> Double {
        var count = node.entry.count("visits") ?? 0
        var time = node.ageMicroseconds
        // The counters of another session at the same path begin at 0.
        if let earlier, earlier.session == node.entry.session,
            case let before = earlier.count("visits") ?? 0, before <= count
        {
            count -= before
            time = elapsed
        }
        return Double(count) * 1_000_000 / Double(max(time, 1))
    }
}

extension NodeTraffic {
    fileprivate init(_ node: InspectedNode, visitsPerSecond: Double) {
        let measured = node.count("measured") ?? 0
        self.init(
            path: node.path, pid: node.pid, visits: node.count("visits") ?? 0,
            visitsPerSecond: (visitsPerSecond * 10 + 0.5).rounded(.down) / 10,
            queue: node.count("queue") ?? 0,
            // Only acknowledged visits are measured.
            meanMicroseconds: measured == 0 ? nil : node.count("latency").map { $0 / measured },
            errors: node.count("errors"), residentBytes: node.residentBytes)
    }
}

extension InspectedNode {
    /// Returns the value of a counter; `nil` if the entry has none of this name.
    package func count(_ name: String) -> UInt64? {
        counters?[name]
    }
}
