// SPDX-License-Identifier: Apache-2.0

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
