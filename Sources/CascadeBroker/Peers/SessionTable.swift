// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of sessions, kept as long as a peer or an event needs them.
struct SessionTable {
    private struct Record {
        var id = SessionID(high: 0, low: 0)
        var pins = 0
    }

    private var records = Slab<Record>()

    mutating func insert(_ id: SessionID) -> UInt32 {
        records.insert(Record()) { $0 = Record(id: id, pins: 1) }
    }

    subscript(session: UInt32) -> SessionID {
        records[session].id
    }

    mutating func pin(_ session: UInt32) {
        records[session].pins += 1
    }

    /// Returns whether the number is free now.
    mutating func unpin(_ session: UInt32) -> Bool {
        records[session].pins -= 1
        guard records[session].pins == 0 else {
            return false
        }
        records.remove(session)
        return true
    }
}
