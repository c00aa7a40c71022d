// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The daemon's journal: a list of records, which outlives the daemon. What has been given to it
/// and not been written yet does not, or only in part.
struct SimulatedJournal {
    private var written: [(key: EventID, body: [UInt8])] = []
    private var unwritten: [JournalEntry] = []

    /// Whether something is to be written.
    var isBusy: Bool {
        !unwritten.isEmpty
    }

    var records: [[UInt8]] {
        written.map(\.body)
    }

    mutating func submit(_ entry: JournalEntry) {
        unwritten.append(entry)
    }

    /// Writes some of what is to be written. Returns the number of the last entry.
    mutating func write(_ count: Int) -> UInt64 {
        let batch = unwritten.prefix(count)
        unwritten.removeFirst(batch.count)
        for entry in batch {
            written.removeAll { $0.key == entry.key }
            if let body = entry.body {
                written.append((entry.key, body))
            }
        }
        return batch.last?.number ?? 0
    }

    /// Fails to write anything of what is to be written. Returns the number of the last entry.
    mutating func fail() -> UInt64 {
        defer { unwritten = [] }
        return unwritten.last?.number ?? 0
    }

    /// The daemon has been killed: what was being written may be there up to any entry.
    mutating func crash(using random: inout Randomness) {
        _ = write(random.within(0...unwritten.count))
        unwritten = []
    }
}
