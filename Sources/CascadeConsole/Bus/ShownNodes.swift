// SPDX-License-Identifier: Apache-2.0

/// The nodes that pages show, by their numbers, and the order in which they changed.
///
/// A change, and the question for what has changed since a version, cost what they concern, however large the
/// tree is.
struct ShownNodes: Sendable {
    private var nodes: [Int: ShownNode] = [:]
    /// Each version of a node. All but its last are of no meaning, and are removed when they are many.
    private var changes: [(version: UInt64, number: Int)] = []

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
        let isNew = former?.version != node.version
        nodes[node.number] = node
        toldCount += (node.isTold ? 1 : 0) - (former?.isTold == true ? 1 : 0)
        guard isNew else {
            return
        }
        changes.append((node.version, node.number))
        if changes.count > 2 * nodes.count + 1_024 {
            changes.removeAll { nodes[$0.number]?.version != $0.version }
        }
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

    /// The nodes whose activity pages are told.
    ///
    /// - Parameter shown: The numbers of the nodes that a page shows; `nil` for all whose activity has changed.
    func active(after version: UInt64, shown: Set<Int>?) -> [ShownNode] {
        guard let shown else {
            return nodes.values.filter { $0.isTold && $0.activityVersion > version }.sorted {
                $0.number < $1.number
            }
        }
        return shown.sorted().compactMap { nodes[$0] }
    }
}
