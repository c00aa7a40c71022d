// SPDX-License-Identifier: Apache-2.0

/// A request to drain nodes, done once none of them is in the hands that it found them in.
struct Drain: Sendable {
    let peer: PeerID
    let request: UInt64
    /// Those that have not gone yet.
    fileprivate var nodes: Set<NodeIndex>
}

/// The drains that administrators wait for, in the order in which they asked.
struct Drains: Sendable {
    private var drains: [Drain] = []

    var count: Int {
        drains.count
    }

    mutating func begin(_ nodes: [NodeIndex], for peer: PeerID, _ request: UInt64) {
        drains.append(Drain(peer: peer, request: request, nodes: Set(nodes)))
    }

    /// The node has gone from its holder.
    mutating func gone(_ node: NodeIndex) {
        for drain in drains.indices {
            drains[drain].nodes.remove(node)
        }
    }

    /// Removes and returns those whose nodes have all gone.
    mutating func takeDone() -> [Drain] {
        let done = drains.filter(\.nodes.isEmpty)
        drains.removeAll(where: \.nodes.isEmpty)
        return done
    }
}
