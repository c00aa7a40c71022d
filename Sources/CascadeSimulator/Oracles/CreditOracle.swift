// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A session has no more messages under way than the daemon gave it credit for, and no credit is
/// returned that it did not use.
struct CreditOracle {
    private struct Account {
        /// The sequence numbers of messages triggered on this connection.
        var underWay: Set<UInt64> = []
        var unacknowledgedCount = 0
    }

    private var accounts: [PeerID: Account] = [:]

    mutating func connected(_ peer: PeerID) {
        accounts[peer] = Account()
    }

    mutating func raised(
        _ sequence: UInt64, isUnacknowledged: Bool, by peer: PeerID, limit: Int
    ) -> Finding? {
        if isUnacknowledged {
            accounts[peer, default: Account()].unacknowledgedCount += 1
        } else {
            accounts[peer, default: Account()].underWay.insert(sequence)
        }
        let account = accounts[peer] ?? Account()
        let count = account.underWay.count + account.unacknowledgedCount
        return count <= limit
            ? nil : Finding("credit", "\(count) under way, with credit for \(limit)")
    }

    /// An outcome may belong to a message of an earlier connection: then no credit is returned.
    mutating func ended(_ sequence: UInt64, of peer: PeerID) {
        accounts[peer]?.underWay.remove(sequence)
    }

    mutating func refused(_ sequence: UInt64, of peer: PeerID) -> Finding? {
        accounts[peer]?.underWay.remove(sequence) == nil ? givenBack(1, to: peer) : nil
    }

    mutating func givenBack(_ count: Int, to peer: PeerID) -> Finding? {
        accounts[peer]?.unacknowledgedCount -= count
        return (accounts[peer]?.unacknowledgedCount ?? 0) >= 0
            ? nil : Finding("credit", "credit is returned that was not used")
    }
}

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

/// No table of the daemon exceeds its limit.
struct LimitOracle {
    let limits: [String: UInt64]

    init(_ limits: Limits) {
        self.limits = Dictionary(
            limits.named.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    func check(_ sizes: [TableSize]) -> Finding? {
        for size in sizes {
            if let limit = limits[size.name], size.count > limit {
                return Finding(
                    "limit", "there are \(size.count) \(size.name), more than the limit \(limit)")
            }
        }
        return nil
    }
}
