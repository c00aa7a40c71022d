// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

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
