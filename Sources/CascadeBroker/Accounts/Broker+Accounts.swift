// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What is charged to whom, and how much of each limit is used.
extension Broker {
    // MARK: - Bytes

    /// The limits; the shell holds to those of what waits to be read or processed.
    package var limits: Limits {
        configuration.limits
    }

    /// The least of the limits of bytes that wait to be read or processed.
    package var leastWaitingByteCountMax: Int {
        let limits = configuration.limits
        return Int(min(limits.unreadBytes, limits.bytesPerUser, limits.waitingBytes))
    }

    /// Charges a message that is kept, until it is released.
    mutating func charge(_ payload: PayloadID, to account: AccountIndex) {
        if payload.byteCount > 0, ledger.insert(payload, account) {
            accounts[account].messageByteCount += Int(payload.byteCount)
        }
    }

    mutating func discharge(_ payload: PayloadID) {
        if let entry = ledger.remove(payload) {
            accounts[entry.account].messageByteCount -= Int(entry.byteCount)
        }
    }

    /// Throws if the user of `peer` may not have so many bytes more.
    func checkBytes(_ count: Int, of peer: PeerID) throws(WireError) {
        let account = peers[peer].account
        let kept = byteCount(of: account)
        let limit = configuration.limits.bytesPerUser
        guard kept + count <= Int(limit) else {
            throw WireError(
                .limitReached,
                "\(kept) bytes are kept for \(accounts[account].owner), and \(count) more "
                    + "would be more than \(limit) (limit bytesPerUser)")
        }
    }

    private func byteCount(of account: AccountIndex) -> Int {
        let userID = accounts[account].owner.userID
        return accounts[account].messageByteCount + environment.byteCount(of: userID)
    }

    /// Bytes of a message behind its header.
    func bodyByteCount(_ payload: PayloadID) -> Int {
        max(0, Int(payload.byteCount) - Header.byteCount)
    }

    // MARK: - Sessions and nodes

    func checkSessions(of peer: PeerID) throws(WireError) {
        let limit = configuration.limits.sessionsPerUser
        let account = accounts[peers[peer].account]
        guard account.sessionCount < Int(limit) else {
            throw WireError(
                .tooManySessions,
                "\(account.owner) has \(account.sessionCount) sessions, and may have no more "
                    + "than \(limit) (limit sessionsPerUser)")
        }
    }

    // MARK: - Use

    /// How much of each limit is used, where that can be said: of one for each user, session or
    /// node, by whoever uses most of it.
    var uses: [NamedNumber] {
        let greeted = peers.greeted
        func most(_ count: (Peer) -> Int) -> Int {
            greeted.map { count(peers[$0]) }.max() ?? 0
        }
        let users = accounts.accounts.indices.dropFirst()
        var uses = SharedTable.allCases.map { ($0.name, accounts.used($0)) }
        uses += [
            ("nodesPerSession", most { $0.nodes.count }),
            ("credit", most { Int($0.creditUsed - $0.creditDue) }),
            ("repeatingQueries", most { $0.repeatingQueries.count }),
            ("replyBytes", most { $0.memory.kept.byteCount }),
            ("sessionsPerUser", users.map { accounts.accounts[$0].sessionCount }.max() ?? 0),
            ("nodesPerUser", users.map { accounts.accounts[$0].nodeCount }.max() ?? 0),
            ("bytesPerUser", users.map { byteCount(of: AccountIndex(UInt32($0))) }.max() ?? 0),
        ]
        return uses.map { NamedNumber($0.0, UInt64(max(0, $0.1))) }
    }
}
