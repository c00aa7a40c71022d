// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The result of opening a journal.
package struct JournalReport: Equatable, Sendable {
    /// The records, in the order in which they were written.
    package var records: [[UInt8]] = []
    /// The number of unreadable places in the files.
    package var damagedCount = 0
    /// The files that are kept as evidence of damage.
    package var evidence: [String] = []
    /// The number of bytes in incomplete writes at the ends of files.
    package var droppedByteCount = 0
    /// The size of the disk in bytes.
    package var diskByteCount = Int.max
    /// The reason why the journal cannot be written, if so.
    package var fault: String?

    package init() {}
}

/// Records that were damaged after the journal was opened, found when its file was replaced.
package struct JournalDamage: Equatable, Sendable {
    package var count = 0
    /// The files that are kept as evidence of damage.
    package var evidence: [String] = []

    package init() {}
}

/// A change of the journal: a key gets this record, or loses its record.
package struct JournalChange: Equatable, Sendable {
    package var key: EventID
    package var body: [UInt8]?
    /// Whether the change must be durable.
    package var isSynced: Bool
    /// Whether the change may be written to the space of the reserve. Changes that end an event
    /// may, so that events end on a full disk; changes that begin one may not.
    package var mayUseReserve: Bool

    /// Creates a change. By default, a removal may use the reserve, and a record may not.
    package init(
        key: EventID, body: [UInt8]?, isSynced: Bool = true, mayUseReserve: Bool? = nil
    ) {
        self.key = key
        self.body = body
        self.isSynced = isSynced
        self.mayUseReserve = mayUseReserve ?? (body == nil)
    }
}

/// The reason why the journal cannot be read or written.
package struct JournalError: Error, Equatable, CustomStringConvertible {
    /// A sentence for a person.
    package let description: String
    /// Whether the disk or the quota of the daemon's user is full.
    package let isDiskFull: Bool

    /// All frame or file numbers are used.
    package static let outOfNumbers = JournalError("the journal's numbers are used up")

    package init(_ description: String, isDiskFull: Bool = false) {
        self.description = description
        self.isDiskFull = isDiskFull
    }
}
