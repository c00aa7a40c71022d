// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Which session a greeting may begin, resume or supersede.
extension Broker {
    /// The session for which the greeting speaks. Throws where its secret is not that session's.
    func identity(_ hello: Hello) throws(WireError) -> SessionIdentity {
        guard hello.session != SessionIdentity.daemon.id else {
            throw WireError(.notYours, "the session is the daemon's own")
        }
        guard let secret = hello.secret else {
            return SessionIdentity(hello.session, isProven: false)
        }
        guard secret.sessionID == hello.session else {
            throw WireError(.notYours, "the secret is not that of the session that it came with")
        }
        return SessionIdentity(hello.session, isProven: true)
    }

    /// Claims a session for a new connection of the same process, replacing its own dead
    /// predecessor.
    ///
    /// Peers visited by a session's events know its ID. Only the secret therefore proves a claim,
    /// and a proved claim replaces each session that names the same ID without it. Among sessions
    /// without a secret, the user has to be the same, as far as the daemon knows the session's
    /// user.
    mutating func claim(
        _ session: SessionIdentity, by newcomer: PeerID
    ) throws(WireError) {
        let owner = peers[newcomer].credentials.owner
        let predecessor = peers.peer(of: session.id)
        if let predecessor {
            let known = sessions.identity(peers[predecessor].session)
            let isOwn = peers[predecessor].credentials.owner == owner
            try check(session, known, isOwn: isOwn)
        }
        if let disconnected = sessions.disconnected[session.id] {
            let known = sessions.identity(disconnected.number)
            try check(session, known, isOwn: disconnected.owner == owner)
        }
        for isProven in [true, false] {
            let known = SessionIdentity(session.id, isProven: isProven)
            if let former = sessions.formerOwners[known] {
                try check(session, known, isOwn: former == owner)
            }
            if let durable = traffic.durable.owner(of: known) {
                try check(session, known, isOwn: durable.covers(owner))
            }
        }
        if let predecessor {
            violated(
                predecessor, Violation(.superseded, "the session has resumed on another connection")
            )
        }
    }

    private func check(
        _ session: SessionIdentity, _ known: SessionIdentity, isOwn: Bool
    ) throws(WireError) {
        guard session.isProven == known.isProven else {
            if known.isProven {
                throw WireError(.notYours, "the session has a secret, and the greeting has none")
            }
            return
        }
        guard isOwn else {
            throw WireError(.notYours, "the session belongs to another user")
        }
    }
}
