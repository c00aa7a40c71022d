// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A node never has more messages in transit to it than its prefetch allows.
struct PrefetchOracle {
    private struct Room {
        var open: Set<UInt64> = []
        /// Visits and deliveries that are returned by count.
        var silentCount = 0
    }

    private var rooms: [UInt32: Room] = [:]

    /// The nodes have left the tree.
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
            : Finding("prefetch", "\(path) has \(count) in transit, and a prefetch of \(prefetch)")
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
            ? nil : Finding("prefetch", "a node returns \(count) of \(silentCount)")
    }
}
