// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Charging of users for messages, and the use of each limit.
extension Broker {
    // MARK: - Bytes

    /// The limits. The shell enforces those of input that waits to be read or processed.
    package var limits: Limits {
        configuration.limits
    }

    /// The least of the limits of bytes that wait to be read or processed.
    package var leastWaitingByteCountMax: Int {
        let limits = configuration.limits
        return Int(min(limits.unreadBytes, limits.bytesPerUser, limits.waitingBytes))
    }

    /// Throws if the user of `peer` may not have so many bytes more.
    func checkBytes(_ count: Int, of peer: PeerID) throws(WireError) {
        try accounts.checkBytes(
            count, of: peers[peer].account,
            beside: environment.byteCount(of: peers[peer].account),
            limit: configuration.limits.bytesPerUser)
    }

    private func byteCount(of account: AccountIndex) -> Int {
        accounts.byteCount(of: account) + environment.byteCount(of: account)
    }

    /// Charges a node's declaration to the account of its holder, replacing the charge for its
    /// previous one.
    mutating func chargeDeclared(at node: NodeIndex) {
        accounts.charge(
            declaredAt: node, environment.byteCount(declaredAt: node), to: hierarchy[node].account)
    }

    mutating func dischargeDeclared(at node: NodeIndex) {
        let declared = accounts.discharge(declaredAt: node, from: hierarchy[node].account)
        if let holder = hierarchy[node].holder {
            peers[holder].countDeclared(-declared.declarationCount)
        }
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

    /// The use of each limit, where it can be measured. For a limit per user, session or node, this
    /// is the highest use among them.
    var uses: [NamedNumber] {
        let greeted = peers.greeted
        func most(_ count: (Peer) -> Int) -> Int {
            greeted.map { count(peers[$0]) }.max() ?? 0
        }
        let users = accounts.accounts.indices.dropFirst()
        var uses = SharedTable.allCases.map { ($0.name, accounts.used($0)) }
        uses += [
            ("sites", hierarchy.mountCount),
            ("nodesPerSession", most { $0.nodes.count }),
            ("declarationsPerSession", most { $0.declarationCount }),
            ("credit", most { Int($0.creditUsed - $0.creditDue) }),
            ("repeatingQueries", observers.repeatingQueries.mostOfOnePeer),
            ("replyBytes", most { $0.memory.kept.byteCount }),
            ("sessionsPerUser", users.map { accounts.accounts[$0].sessionCount }.max() ?? 0),
            ("nodesPerUser", users.map { accounts.accounts[$0].nodeCount }.max() ?? 0),
            ("bytesPerUser", users.map { byteCount(of: AccountIndex(UInt32($0))) }.max() ?? 0),
        ]
        return uses.map { NamedNumber($0.0, UInt64(max(0, $0.1))) }
    }
}

extension Assignments {
    /// Bytes charged for each declared name, key, responder or rule, in addition to its text.
    static let elementByteCount = 32
    /// Bytes charged for each byte of a predicate: about the size of a compiled pattern.
    static let predicateByteFactor = 16
}

extension NodeDeclaration {
    /// Bytes charged for its responders and subscriptions.
    var responderByteCount: Int {
        responders.reduce(
            Assignments.elementByteCount
                * (responders.count + subscriptions.count + standIns.count)
        ) {
            $0 + Assignments.predicateByteFactor * ($1.when?.utf8.count ?? 0)
        }
    }

    /// Bytes charged for the names that it declares to trigger or report.
    var declaredNameByteCount: Int {
        Assignments.elementByteCount * ((triggers?.count ?? 0) + (reports?.count ?? 0))
    }
}
