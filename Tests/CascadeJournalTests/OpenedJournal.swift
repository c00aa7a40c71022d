// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeWire

/// Opens a journal on the folder. Returns it with its report.
func opened(
    _ folder: SimulatedFolder = SimulatedFolder()
) throws -> (journal: Journal<SimulatedFolder>, report: JournalReport) {
    var salt: UInt64 = 0
    var journal = Journal(disk: folder) {
        salt += 1
        return salt
    }
    let report = try journal.open()
    return (journal, report)
}

/// A change that writes a record for a key.
func put(_ number: UInt64, _ text: String = "body") -> JournalChange {
    JournalChange(key: EventID(journal: number), body: Array(text.utf8))
}

extension EventID {
    /// The ID of an arbitrary event.
    init(journal number: UInt64) {
        self.init(session: SessionID(high: 7, low: number / 8), sequence: number)
    }
}
