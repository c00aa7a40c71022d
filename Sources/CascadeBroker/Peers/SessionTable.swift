// SPDX-License-Identifier: Apache-2.0

import CascadeWire

typealias SessionIndex = Slab<SessionTable.Record>.Index

/// The numbers of sessions, kept as long as a peer or an event needs them.
struct SessionTable {
    struct Record {
        var identity = SessionIdentity.daemon
        var pins = 0
    }

    private var records = Slab<Record>()

    mutating func insert(_ identity: SessionIdentity) -> SessionIndex {
        records.insert(Record()) { $0 = Record(identity: identity, pins: 1) }
    }

    /// The session's public ID.
    subscript(session: SessionIndex) -> SessionID {
        records[session].identity.id
    }

    func identity(_ session: SessionIndex) -> SessionIdentity {
        records[session].identity
    }

    mutating func pin(_ session: SessionIndex) {
        records[session].pins += 1
    }

    /// Returns whether the number is free now.
    mutating func unpin(_ session: SessionIndex) -> Bool {
        records[session].pins -= 1
        guard records[session].pins == 0 else {
            return false
        }
        records.remove(session)
        return true
    }
}
