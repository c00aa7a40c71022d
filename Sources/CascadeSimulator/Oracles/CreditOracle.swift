// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// A session has no more under way than the daemon gave it credit for, and gets no credit back that
/// it did not use.
struct CreditOracle {
    private struct Account {
        /// What has been raised on this connection, by number.
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

    /// An outcome may be of what an earlier connection had raised: then no credit is back.
    mutating func ended(_ sequence: UInt64, of peer: PeerID) {
        accounts[peer]?.underWay.remove(sequence)
    }

    mutating func refused(_ sequence: UInt64, of peer: PeerID) -> Finding? {
        accounts[peer]?.underWay.remove(sequence) == nil ? givenBack(1, to: peer) : nil
    }

    mutating func givenBack(_ count: Int, to peer: PeerID) -> Finding? {
        accounts[peer]?.unacknowledgedCount -= count
        return (accounts[peer]?.unacknowledgedCount ?? 0) >= 0
            ? nil : Finding("credit", "credit is given back that was not used")
    }
}
