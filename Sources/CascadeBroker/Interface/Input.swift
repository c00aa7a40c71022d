// SPDX-License-Identifier: Apache-2.0

package import CascadePolicy
package import CascadeWire

/// An input of the broker: a message, a change of a connection, or a report of the shell.
package enum Input: Sendable {
    /// A connection was seen for the first time.
    indirect case connected(PeerID, Credentials)
    /// Bytes came in, whole, whatever they are. The broker refers to them as long as it needs them.
    case received(PeerID, Payload)
    /// The bytes received are not a message, or are more than the limits allow.
    indirect case malformed(PeerID, WireError)
    /// The peer's process has exited. Messages that it had written may still come, and ``gone(_:)``
    /// follows them.
    case exited(PeerID)
    /// The connection has ended, or its process has, and all that it had written has been read. Where
    /// ``Broker/parksInputs(of:)`` is true of the peer, ``Effect/disconnect(_:)`` follows later.
    case gone(PeerID)
    /// The end of the peer's process will not be reported: missing beats alone show it.
    case unwatched(PeerID)
    /// ``Broker/nextDeadline`` has come.
    case deadline
    /// The configuration has been read once more: it counts from now on.
    indirect case configured(BrokerConfiguration)
    /// The files of rules have been read, at the start or once more: all of them count from now on,
    /// or, if one is wrong, those before.
    case rules([RuleModelFile])
    /// The policy has been read, at the start or by a reload: it is in force from now on, also for
    /// messages under way.
    indirect case policy(Policy)
    /// The shell no longer wants the peer: its key is not, or no longer, known.
    indirect case expel(PeerID, Violation)
    /// The daemon's files could not be read, or one is invalid for the reason in the sentence: the
    /// previous ones stay in force.
    case unreadable(DaemonFileKind, sentence: String)
    /// The journal's contents, at the start: the records in the order in which they were written,
    /// and the reason why it cannot be written at the moment, if so.
    case recovered([[UInt8]], fault: String?)
    /// Stretches of the journal cannot be read, as was found at the start or since; the files in
    /// which they are have been kept as evidence.
    case journalDamaged(count: Int, evidence: [String])
    /// The disk that the journal is on has so many bytes, in all.
    case journalDisk(byteCount: UInt64)
    /// Every ``Effect/persist(_:)`` up to this number that had no result yet is durable. `fault` is
    /// the reason why no new event can be written, if so: the journal then uses its reserve.
    case persisted(upTo: UInt64, fault: String? = nil)
    /// All entries up to this number without a result could not be written, for the reason in the
    /// sentence.
    case notPersisted(upTo: UInt64, String)
    /// The daemon is about to end: new messages are refused, and origins keep them for the next
    /// daemon.
    case stop
    /// The daemon ends: every peer is dismissed.
    case dismissAll
}

/// One change of the journal's contents, to be written after the previous ones.
package struct JournalEntry: Equatable, Sendable {
    /// Counted from 1 since the daemon began.
    package var number: UInt64
    /// The key of the record: an event's ID.
    package var key: EventID
    /// The new record of the key; `nil` to remove it.
    package var body: [UInt8]?
    /// Whether it must be durable before ``Input/persisted(upTo:fault:)`` reports it.
    package var isSynced: Bool
    /// Whether it is written even where the disk is full but for the journal's reserve: all that
    /// does not begin an event.
    package var mayUseReserve: Bool

    package init(
        number: UInt64, key: EventID, body: [UInt8]?, isSynced: Bool, mayUseReserve: Bool
    ) {
        self.number = number
        self.key = key
        self.body = body
        self.isSynced = isSynced
        self.mayUseReserve = mayUseReserve
    }
}

extension EventID {
    /// No event has this ID: under it the journal keeps the bus's age.
    static let age = EventID(session: SessionID(high: 0, low: 0), sequence: 0)
}

/// A file of rules, read by the shell.
package struct RuleModelFile: Equatable, Sendable {
    /// The name of the file's kind, for display.
    package var file: String
    package var text: String

    package init(file: String, text: String) {
        self.file = file
        self.text = text
    }
}

/// The files that a daemon reads at its start and at a reload.
package enum DaemonFileKind: Sendable, Equatable, CaseIterable {
    case configuration, policy, rules, keys
}
