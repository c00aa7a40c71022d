// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A node answers each visit and delivery once.
struct VerdictOracle {
    private struct Handing: Hashable {
        var peer: PeerID
        var id: UInt64
        var node: UInt32
    }

    /// A node that was detached and attached again may receive the same publication again, under
    /// the same numbers.
    private var handedCounts: [Handing: Int] = [:]
    private var answeredCounts: [Handing: Int] = [:]

    mutating func handed(_ header: Header, to node: UInt32, of peer: PeerID) {
        handedCounts[Handing(peer: peer, id: header.id, node: node), default: 0] += 1
    }

    mutating func answered(_ header: Header, by peer: PeerID) -> Finding? {
        let handing = Handing(peer: peer, id: header.id, node: header.node)
        answeredCounts[handing, default: 0] += 1
        // Answers to visits of a peer that was given up come from a new peer.
        let handedCount = max(1, handedCounts[handing] ?? 0)
        return answeredCounts[handing, default: 0] <= handedCount
            ? nil
            : Finding(
                "verdict", "the delivery \(header.id) is answered more often than it was sent")
    }
}
