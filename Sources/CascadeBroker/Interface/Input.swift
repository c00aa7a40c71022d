// SPDX-License-Identifier: Apache-2.0

package import CascadePolicy
package import CascadeWire

/// What can happen to the broker.
package enum Input: Sendable {
    /// A connection was seen for the first time.
    indirect case connected(PeerID, Credentials)
    /// Bytes came in, whole, whatever they are. The broker refers to them as long as it needs them.
    case received(PeerID, Payload)
    /// What came in cannot be a message, or is more than can be taken.
    indirect case malformed(PeerID, WireError)
    /// The peer's process has exited. Messages that it had written may still come, and ``gone(_:)``
    /// follows them.
    case exited(PeerID)
    /// The connection has ended, or its process has, and all that it had written has been read.
    case gone(PeerID)
    /// The end of the peer's process will not be told: missing beats alone show it.
    case unwatched(PeerID)
    /// ``Broker/nextDeadline`` has come.
    case deadline
    /// The configuration has been read once more: it counts from now on.
    indirect case configured(BrokerConfiguration)
    /// The files of rules have been read, at the start or once more: all of them count from now on,
    /// or, if one is wrong, those before.
    case rules([RuleModelFile])
    /// The policy has been read, at the start or once more: it counts from now on, for what is
    /// under way as well.
    indirect case policy(Policy)
    /// The shell no longer wants the peer: its key is not, or no longer, known.
    indirect case expel(PeerID, Violation)
    /// The daemon's files could not be read, or one is wrong, as a sentence says: all that was
    /// there before stays.
    case unreadable(DaemonFileKind, sentence: String)
    /// What the journal holds, at the start: the records in the order in which they were written,
    /// and why nothing can be written at the moment, if that is so.
    case recovered([[UInt8]], fault: String?)
    /// Stretches of the journal cannot be read, as was found at the start or since; the files in
    /// which they are have been kept as evidence.
    case journalDamaged(count: Int, evidence: [String])
    /// The disk that the journal is on has so many bytes, in all.
    case journalDisk(byteCount: UInt64)
    /// Every ``Effect/persist(_:)`` up to this number that has not been answered is on disk, for
    /// good. A sentence says why no new event can be written, if that is so: the journal lives on
    /// its reserve.
    case persisted(upTo: UInt64, fault: String? = nil)
    /// All that have not been answered up to this number are not on disk, for the reason that the
    /// sentence tells.
    case notPersisted(upTo: UInt64, String)
    /// The daemon is about to end: nothing new is begun. Who raised what comes from now on keeps it
    /// for the next daemon.
    case stop
    /// The daemon ends: every peer is told.
    case dismissAll
}

/// One change of what the journal holds, to be written behind the ones before it.
package struct JournalEntry: Equatable, Sendable {
    /// Counted from 1 since the daemon began.
    package var number: UInt64
    /// What the record is found under: an event's ID.
    package var key: EventID
    /// The record that the key has from now on; `nil` if it has none any more.
    package var body: [UInt8]?
    /// Whether it has to be on disk for good before ``Input/persisted(upTo:fault:)`` says so.
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
    /// What people call it.
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

    /// What a monitor is told where one of them is refused.
    package var refusal: String {
        "\(self)Refused"
    }
}
