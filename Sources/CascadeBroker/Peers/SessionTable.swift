// SPDX-License-Identifier: Apache-2.0

import CascadeWire

typealias SessionIndex = Slab<SessionTable.Record>.Index

/// The sessions: their numbers, kept as long as a peer or an event needs them, and those without a
/// connection.
struct SessionTable: ~Copyable {
    struct Record {
        var identity = SessionIdentity.daemon
        var pins = 0
    }

    private var records = Slab<Record>()
    /// Those without a connection, which may resume.
    var disconnected = DisconnectedSessionTable()
    /// The owners of the sessions that held places under the daemon before.
    private(set) var formerOwners: [SessionIdentity: Owner] = [:]
    /// The bus's own session.
    let own: SessionIndex
    private var lastOwnSequence: UInt64 = 0
    /// Whether the daemon is about to stop, and takes nothing new from any session.
    private(set) var isStopping = false

    init() {
        own = records.insert(Record()) { $0 = Record(identity: .daemon, pins: 1) }
    }

    mutating func stop() {
        isStopping = true
    }

    /// The session held a place under the daemon before.
    mutating func recordFormer(_ session: SessionIdentity, of owner: Owner) {
        formerOwners[session] = owner
    }

    /// Returns the next number of the bus's own events, whose session ID no peer has.
    mutating func nextOwnSequence() -> UInt64 {
        lastOwnSequence += 1
        return lastOwnSequence
    }

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

    @inline(__always)
    mutating func pin(_ session: SessionIndex) {
        records[session].pins += 1
    }

    /// Returns whether the number is free now.
    @inline(__always)
    mutating func unpin(_ session: SessionIndex) -> Bool {
        records[session].pins -= 1
        guard records[session].pins == 0 else {
            return false
        }
        records.remove(session)
        return true
    }
}
