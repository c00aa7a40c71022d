// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

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
