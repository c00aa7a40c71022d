// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The sessions that may resume, by their IDs and by their former connections.
struct DisconnectedSessionTable: Sendable {
    private var sessions: [SessionID: DisconnectedSession] = [:]
    private var ids: [PeerID: SessionID] = [:]
    /// In the order in which they have been waited for.
    private var order = SharedRing<SessionID>()

    var count: Int {
        sessions.count
    }

    subscript(id: SessionID) -> DisconnectedSession? {
        sessions[id]
    }

    /// The session that had this connection.
    func id(of peer: PeerID) -> SessionID? {
        ids.isEmpty ? nil : ids[peer]
    }

    mutating func insert(
        _ session: DisconnectedSession, _ id: SessionID, _ accounts: inout AccountTable
    ) {
        var session = session
        session.place = order.append(id, for: session.account)
        sessions[id] = session
        ids[session.peer] = id
        accounts.charge(1, .disconnectedSessions, to: session.account)
    }

    mutating func remove(_ id: SessionID, _ accounts: inout AccountTable) -> DisconnectedSession? {
        guard let session = sessions.removeValue(forKey: id) else {
            return nil
        }
        ids[session.peer] = nil
        if let place = session.place {
            order.remove(place)
        }
        accounts.release(1, .disconnectedSessions, from: session.account)
        return session
    }

    /// Keeps an outcome for a disconnected session. Returns the payloads that are no longer kept.
    mutating func keep(
        _ entry: UnconfirmedOutcomes.Entry, _ more: UnconfirmedOutcomes.More?, of id: SessionID,
        limit: UInt32,
        byteLimit: UInt32
    ) -> [Payload] {
        guard let more else {
            return sessions[id]?.memory.keep(entry, limit: limit).map { [$0] } ?? []
        }
        return sessions[id]?.memory.keep(entry, more, limit: limit, byteLimit: byteLimit) ?? []
    }

    /// The one of an account that has been waited for longest.
    func oldest(of account: AccountIndex) -> SessionID? {
        order.oldest(of: account).map { order[$0] }
    }
}

/// A session whose connection has ended and that may resume on another one.
struct DisconnectedSession: Sendable {
    /// Its former connection, to which its messages under way still refer.
    let peer: PeerID
    /// The number of the session, pinned.
    let number: SessionIndex
    let owner: Owner
    /// The account that it is charged to.
    let account: AccountIndex
    /// Its place among those that are waited for, once it is in the table.
    fileprivate(set) var place: SharedRing<SessionID>.Place?
    fileprivate(set) var memory: SessionMemory
    /// Until when it is waited for.
    let until: Instant
    let deadline: DeadlineQueue.Handle

    init(
        _ record: Peer, _ peer: PeerID, until: Instant, deadline: DeadlineQueue.Handle
    ) {
        self.peer = peer
        number = record.session
        owner = record.credentials.owner
        account = record.account
        memory = record.memory
        self.until = until
        self.deadline = deadline
    }

    /// Forgets the outcomes. Returns their payloads.
    mutating func forgetOutcomes() -> [Payload] {
        memory.forgetAll()
    }
}
