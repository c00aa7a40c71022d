// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Leave requests of one session that wait for their nodes to finish.
///
/// A session has at most one entry per node and one for all nodes together, so the table is as
/// bounded as its nodes are, however often the session repeats a request.
struct PendingLeaves: Sendable {
    private struct Entry: Sendable {
        /// The node that leaves; ``Slab/Index/none`` for all nodes of the session.
        var node: NodeIndex
        var requests: [UInt64]
    }

    /// Requests for the same nodes that wait at the same time. Each is answered when they are gone.
    static let requestsPerNodeMax = 16

    private var entries: [Entry] = []

    var isEmpty: Bool {
        entries.isEmpty
    }

    /// Adds a request to those for the same nodes. Throws if there are too many of them.
    mutating func append(_ request: UInt64, of node: NodeIndex) throws(WireError) {
        guard let place = entries.firstIndex(where: { $0.node == node }) else {
            entries.append(Entry(node: node, requests: [request]))
            return
        }
        guard entries[place].requests.count < Self.requestsPerNodeMax else {
            throw WireError(
                .limitReached,
                "\(Self.requestsPerNodeMax) requests to leave wait for the same nodes already")
        }
        entries[place].requests.append(request)
    }

    /// Removes the entries whose node has left, according to `isGone`, and returns their requests
    /// in the order in which the entries were made.
    mutating func removeAll(where isGone: (NodeIndex) -> Bool) -> [UInt64] {
        var removed: [UInt64] = []
        entries.removeAll { entry in
            guard isGone(entry.node) else {
                return false
            }
            removed += entry.requests
            return true
        }
        return removed
    }
}

/// A request to drain nodes, done once each of them has left the holder that it had then.
struct Drain: Sendable {
    let peer: PeerID
    let request: UInt64
    /// The nodes that have not left yet.
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

    /// Removes and returns those whose nodes have all left.
    mutating func takeDone() -> [Drain] {
        let done = drains.filter(\.nodes.isEmpty)
        drains.removeAll(where: \.nodes.isEmpty)
        return done
    }
}
