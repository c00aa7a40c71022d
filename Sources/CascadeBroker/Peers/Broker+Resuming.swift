// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Sessions between two connections: their messages continue, and the outcomes are kept.
extension Broker {
    /// Keeps the session of a connection that has ended, so that it may resume. Returns whether
    /// there is anything to resume.
    mutating func remember(_ peer: PeerID) -> Bool {
        let record = peers[peer]
        guard record.creditUsed > record.creditDue || record.memory.isWorthKeeping,
            configuration.resumeMilliseconds > 0
        else {
            return false
        }
        guard makeRoomForDisconnected(record.account) else {
            return false
        }
        let until = now.advanced(byMilliseconds: configuration.resumeMilliseconds)
        sessions.disconnected.insert(
            DisconnectedSession(
                record, peer, until: until,
                deadline: deadlines.insert(until, .session(record.session))),
            sessions[record.session], &accounts)
        return true
    }

    /// Returns whether one more session of the account can be kept. The account's own oldest
    /// session may be dropped for it; another user's is not, for its messages would be raised
    /// twice.
    private mutating func makeRoomForDisconnected(_ account: AccountIndex) -> Bool {
        let limit = configuration.limits.disconnectedSessions
        while true {
            switch accounts.room(for: 1, in: .disconnectedSessions, of: account, limit: limit) {
            case .free: return true
            case .none: return false
            case .evicting(let other):
                guard let oldest = sessions.disconnected.oldest(of: other) else {
                    return false
                }
                forgetDisconnected(oldest)
            }
        }
    }

    /// Holds to a limit that was lowered.
    mutating func shrinkDisconnectedSessions() {
        let limit = configuration.limits.disconnectedSessions
        while let account = accounts.largest(in: .disconnectedSessions, above: limit),
            let oldest = sessions.disconnected.oldest(of: account)
        {
            forgetDisconnected(oldest)
        }
    }

    private mutating func forgetDisconnected(_ id: SessionID) {
        if var forgotten = sessions.disconnected.remove(id, &accounts) {
            deadlines.remove(forgotten.deadline)
            forget(&forgotten)
        }
    }

    mutating func forgetKept(of peer: PeerID) {
        for payload in peers[peer].forgetOutcomes() {
            release(payload)
        }
    }

    /// Ends a session that has not resumed in time. Its deadline has been removed already.
    mutating func resumeTimedOut(_ session: SessionIndex) {
        if var disconnected = sessions.disconnected.remove(sessions[session], &accounts) {
            forget(&disconnected)
        }
    }

    private mutating func forget(_ disconnected: inout DisconnectedSession) {
        markForgotten(disconnected.number, of: disconnected.peer)
        for payload in disconnected.forgetOutcomes() {
            release(payload)
        }
        unpinSession(disconnected.number)
    }

    /// If the session resumes all the same, its messages under way are raised a second time. A node
    /// that receives the first of the two later than the second needs the mark.
    mutating func markForgotten(_ session: SessionIndex, of peer: PeerID) {
        for event in traffic.events.events(of: session)
        where traffic.events[event].message.origin.peer == peer {
            traffic.events[event].markSentAgain()
        }
        for publication in traffic.publications.publications(of: session)
        where traffic.publications[publication].message.origin.peer == peer {
            markSentAgain(publication)
        }
        traffic.events.forget(session)
        traffic.publications.forget(session)
    }

    /// Begins or resumes a session on this connection.
    mutating func begin(_ session: SessionIdentity, on peer: PeerID) {
        guard var disconnected = sessions.disconnected.remove(session.id, &accounts) else {
            peers[peer].begin(sessions.insert(session))
            return
        }
        deadlines.remove(disconnected.deadline)
        guard sessions.identity(disconnected.number) == session else {
            // Another session has named the same ID and has no claim to this one's messages.
            forget(&disconnected)
            peers[peer].begin(sessions.insert(session))
            return
        }
        peers[peer].resume(disconnected.number, disconnected.memory)
        adopt(from: disconnected.peer, by: peer)
    }

    /// Redirects the outcome of a session's message to its new connection, whose credit it has used
    /// already.
    private mutating func adopt(from former: PeerID, by peer: PeerID) {
        let session = peers[peer].session
        for event in traffic.events.events(of: session)
        where traffic.events[event].message.origin.peer == former {
            if traffic.events[event].message.isDurable {
                guard case .writing = traffic.events[event].stage else {
                    // It is accepted: the peer that receives its outcome does not depend on a
                    // connection.
                    continue
                }
            }
            traffic.events[event].adopt(by: peer)
            recordPending(traffic.events[event].message.origin)
        }
        for publication in traffic.publications.publications(of: session)
        where traffic.publications[publication].message.origin.peer == former {
            traffic.publications[publication].adopt(by: peer)
            recordPending(traffic.publications[publication].message.origin)
        }
    }

    private mutating func recordPending(_ origin: Origin) {
        peers[origin.peer].recordPending(origin.ticket)
        peers[origin.peer].takeCredit()
    }
}
