// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A node never has more on its way to it than it declared room for.
struct PrefetchOracle {
    private struct Room {
        var open: Set<UInt64> = []
        /// Visits and deliveries that are given back by count.
        var silentCount = 0
    }

    private var rooms: [UInt32: Room] = [:]

    /// Nodes are no longer in the tree.
    mutating func forget(_ nodes: [UInt32]) {
        for node in nodes {
            rooms[node] = nil
        }
    }

    mutating func handed(
        _ header: Header, to node: UInt32, at path: NodePath, prefetch: Int
    ) -> Finding? {
        if header.flags.contains(.unacknowledged) {
            rooms[node, default: Room()].silentCount += 1
        } else {
            rooms[node, default: Room()].open.insert(header.id)
        }
        let count = (rooms[node]?.open.count ?? 0) + (rooms[node]?.silentCount ?? 0)
        return count <= prefetch
            ? nil
            : Finding("prefetch", "\(path) has \(count) on its way, and room for \(prefetch)")
    }

    mutating func answered(_ header: Header) {
        rooms[header.node]?.open.remove(header.id)
    }

    mutating func givenBack(_ header: Header) -> Finding? {
        guard let silentCount = rooms[header.node]?.silentCount else {
            return nil
        }
        let count = Int(header.code)
        rooms[header.node]?.silentCount = max(0, silentCount - count)
        return count <= silentCount
            ? nil : Finding("prefetch", "a node gives back \(count), and had \(silentCount)")
    }
}
