// SPDX-License-Identifier: Apache-2.0

/// What was found when the journal was opened.
package struct JournalReport: Equatable, Sendable {
    /// The records, in the order in which they were written.
    package var records: [[UInt8]] = []
    /// Stretches in the middle of files that could not be read.
    package var damagedCount = 0
    /// The files that are kept because of them.
    package var evidence: [String] = []
    /// Bytes at the ends of files that were never written whole.
    package var droppedByteCount = 0
    /// Why the journal cannot be written, if that is so.
    package var fault: String?

    package init() {}
}

/// Records that have gone bad since the journal was opened, found when its file was written anew.
package struct JournalDamage: Equatable, Sendable {
    package var count = 0
    /// The files that are kept because of them.
    package var evidence: [String] = []

    package init() {}
}
