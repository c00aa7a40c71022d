// SPDX-License-Identifier: Apache-2.0

/// The nodes that pages show, by their numbers, and the order in which they changed.
///
/// A change, and the question for what has changed since a version, cost what they concern, however large the
/// tree is.
struct ShownNodes: Sendable {
    private var nodes: [Int: ShownNode] = [:]
    /// Each version of a node. All but its last are of no meaning, and are removed when they are many.
    private var changes: [(version: UInt64, number: Int)] = []
    /// The same of the nodes' activity. A new node has none, of which nothing is told.
    private var activityChanges: [(version: UInt64, number: Int)] = []

    var count: Int {
        nodes.count
    }

    /// The number of nodes that pages are told of.
    private(set) var toldCount = 0

    subscript(number: Int) -> ShownNode? {
        nodes[number]
    }

    /// All nodes, in no order.
    var all: some Collection<ShownNode> {
        nodes.values
    }

    /// Inserts or replaces a node.
    mutating func update(_ node: ShownNode) {
        let former = nodes[node.number]
        nodes[node.number] = node
        toldCount += (node.isTold ? 1 : 0) - (former?.isTold == true ? 1 : 0)
        if former?.version != node.version {
            changes.append((node.version, node.number))
            if changes.count > changeCountMax {
                changes.removeAll { nodes[$0.number]?.version != $0.version }
            }
        }
        let hasActivity = former?.activity ?? .init() != .init() || node.activity != .init()
        if hasActivity, former?.activityVersion != node.activityVersion {
            activityChanges.append((node.activityVersion, node.number))
            if activityChanges.count > changeCountMax {
                activityChanges.removeAll { nodes[$0.number]?.activityVersion != $0.version }
            }
        }
    }

    private var changeCountMax: Int {
        2 * nodes.count + 1_024
    }

    mutating func remove(_ number: Int) -> ShownNode? {
        let node = nodes.removeValue(forKey: number)
        toldCount -= node?.isTold == true ? 1 : 0
        return node
    }

    /// The told nodes that have changed since a version, in the order of their changes.
    func changed(after version: UInt64) -> some Sequence<ShownNode> {
        changes.reversed().prefix { $0.version > version }.reversed().lazy.compactMap { change in
            nodes[change.number].flatMap { $0.version == change.version && $0.isTold ? $0 : nil }
        }
    }

    /// The told nodes whose activity has changed since a version, in the order of its changes.
    func active(after version: UInt64) -> some Sequence<ShownNode> {
        activityChanges.reversed().prefix { $0.version > version }.reversed().lazy.compactMap {
            change in
            nodes[change.number].flatMap {
                $0.activityVersion == change.version && $0.isTold ? $0 : nil
            }
        }
    }
}
