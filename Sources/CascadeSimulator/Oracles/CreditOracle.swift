// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// A session has no more under way than the daemon gave it credit for, and gets no credit back that
/// it did not use.
struct CreditOracle {
    private var used: [PeerID: Int] = [:]

    mutating func connected(_ peer: PeerID) {
        used[peer] = 0
    }

    mutating func raised(by peer: PeerID, limit: Int) -> Finding? {
        let count = (used[peer] ?? 0) + 1
        used[peer] = count
        return count <= limit
            ? nil : Finding("credit", "\(count) under way, with credit for \(limit)")
    }

    mutating func ended(_ peer: PeerID) -> Finding? {
        givenBack(1, to: peer)
    }

    mutating func givenBack(_ count: Int, to peer: PeerID) -> Finding? {
        let left = (used[peer] ?? 0) - count
        used[peer] = left
        return left >= 0 ? nil : Finding("credit", "credit is given back that was not used")
    }
}
