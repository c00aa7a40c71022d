// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The result of opening a journal.
package struct JournalReport: Equatable, Sendable {
    /// The records, in the order in which they were written.
    package var records: [[UInt8]] = []
    /// The number of damaged parts of the files.
    package var damagedCount = 0
    /// The files that are kept as evidence of damage.
    package var evidence: [String] = []
    /// The number of bytes in incomplete writes at the ends of files.
    package var droppedByteCount = 0
    /// The size of the disk in bytes.
    package var diskByteCount = Int.max
    /// The reason why the journal cannot be written; `nil` if it can.
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

/// A change of the journal: sets the record of a key, or removes it.
package struct JournalChange: Equatable, Sendable {
    package var key: EventID
    /// The record; `nil` to remove the key's record.
    package var body: [UInt8]?
    /// Whether the change must be synced before the write returns.
    package var isSynced: Bool
    /// Whether the change may use the space of the reserve. Changes that end an event may, so that events
    /// can end on a full disk; changes that begin an event may not.
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
    /// The reason as one sentence for a person.
    package let description: String
    /// Whether the disk is full, or the disk quota of the daemon's user is used up.
    package let isDiskFull: Bool

    /// The error of a journal that has reached ``JournalFrame/numberMax``.
    package static let outOfNumbers = JournalError(
        "the journal has used up its frame or file numbers; it is damaged")

    package init(_ description: String, isDiskFull: Bool = false) {
        self.description = description
        self.isDiskFull = isDiskFull
    }
}
