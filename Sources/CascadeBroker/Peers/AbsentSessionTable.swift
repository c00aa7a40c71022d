// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The sessions that may come back, by their IDs, and by the connections that they had.
struct AbsentSessionTable: Sendable {
    private var sessions: [SessionID: AbsentSession] = [:]
    private var ids: [PeerID: SessionID] = [:]

    var count: Int {
        sessions.count
    }

    subscript(id: SessionID) -> AbsentSession? {
        sessions[id]
    }

    /// The session that had this connection.
    func id(of peer: PeerID) -> SessionID? {
        ids.isEmpty ? nil : ids[peer]
    }

    mutating func insert(_ session: AbsentSession, _ id: SessionID) {
        sessions[id] = session
        ids[session.peer] = id
    }

    mutating func remove(_ id: SessionID) -> AbsentSession? {
        guard let session = sessions.removeValue(forKey: id) else {
            return nil
        }
        ids[session.peer] = nil
        return session
    }

    /// Keeps the outcome of what an absent session had raised.
    mutating func keep(
        _ entry: KeptOutcomes.Entry, _ more: KeptOutcomes.More?, of id: SessionID, limit: UInt32
    ) -> PayloadID? {
        guard let more else {
            return sessions[id]?.memory.kept.append(entry, limit: limit) ?? nil
        }
        return sessions[id]?.memory.kept.append(entry, more, limit: limit) ?? nil
    }

    /// The one that has been waited for longest.
    var oldest: SessionID? {
        sessions.min { first, second in
            (first.value.until, first.value.number) < (second.value.until, second.value.number)
        }?.key
    }
}
