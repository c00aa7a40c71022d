// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Checks that a session has no more messages under way than its credit allows, and that the daemon
/// returns no credit that the session did not use.
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

    /// Records an outcome, which returns the credit of its message. It returns none for a message of an
    /// earlier connection.
    mutating func ended(_ sequence: UInt64, of peer: PeerID) {
        accounts[peer]?.underWay.remove(sequence)
    }

    mutating func refused(_ sequence: UInt64, of peer: PeerID) -> Finding? {
        accounts[peer]?.underWay.remove(sequence) == nil ? returned(1, to: peer) : nil
    }

    mutating func returned(_ count: Int, to peer: PeerID) -> Finding? {
        accounts[peer]?.unacknowledgedCount -= count
        return (accounts[peer]?.unacknowledgedCount ?? 0) >= 0
            ? nil : Finding("credit", "credit is returned that was not used")
    }
}

/// Checks that no more messages are under way to a node than its prefetch allows.
struct PrefetchOracle {
    private struct UnderWay {
        /// The acknowledged visits and deliveries, by their IDs.
        var ids: Set<UInt64> = []
        /// The number of unacknowledged ones, for which the node returns credit.
        var unacknowledgedCount = 0
    }

    private var underWay: [UInt32: UnderWay] = [:]

    /// Removes detached nodes.
    mutating func remove(_ nodes: [UInt32]) {
        for node in nodes {
            underWay[node] = nil
        }
    }

    mutating func sent(
        _ header: Header, to node: UInt32, at path: NodePath, prefetch: Int
    ) -> Finding? {
        if header.flags.contains(.unacknowledged) {
            underWay[node, default: UnderWay()].unacknowledgedCount += 1
        } else {
            underWay[node, default: UnderWay()].ids.insert(header.id)
        }
        let count =
            (underWay[node]?.ids.count ?? 0) + (underWay[node]?.unacknowledgedCount ?? 0)
        return count <= prefetch
            ? nil
            : Finding(
                "prefetch", "\(path) has \(count) under way, but a prefetch of \(prefetch)")
    }

    mutating func answered(_ header: Header) {
        underWay[header.node]?.ids.remove(header.id)
    }

    mutating func creditReturned(_ header: Header) -> Finding? {
        guard let unacknowledgedCount = underWay[header.node]?.unacknowledgedCount else {
            return nil
        }
        let count = Int(header.code)
        underWay[header.node]?.unacknowledgedCount = max(0, unacknowledgedCount - count)
        return count <= unacknowledgedCount
            ? nil
            : Finding("prefetch", "a node returns \(count) of \(unacknowledgedCount) credit")
    }
}

/// Checks that no table of the daemon exceeds its limit.
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
                    "limit", "'\(size.name)' has \(size.count) entries, and a limit of \(limit)")
            }
        }
        return nil
    }
}
