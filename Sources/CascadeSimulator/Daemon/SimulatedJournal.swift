// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The daemon's journal: a list of records that outlives the daemon. At a crash, a part of the
/// unwritten entries may survive.
struct SimulatedJournal {
    private var written: [(key: EventID, body: [UInt8])] = []
    private var unwritten: [JournalEntry] = []

    /// Whether entries wait to be written.
    var isBusy: Bool {
        !unwritten.isEmpty
    }

    var records: [[UInt8]] {
        written.map(\.body)
    }

    mutating func submit(_ entry: JournalEntry) {
        unwritten.append(entry)
    }

    /// Writes up to `count` entries. Returns the number of the last one.
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

    /// Drops all waiting entries, as a failed write does. Returns the number of the last one.
    mutating func fail() -> UInt64 {
        defer { unwritten = [] }
        return unwritten.last?.number ?? 0
    }

    /// Ends the daemon's writes at a crash. Any number of waiting entries may have been written.
    mutating func crash(using random: inout Randomness) {
        _ = write(random.within(0...unwritten.count))
        unwritten = []
    }
}

/// Durable events: submitted entries are written later, a part of them at a time.
extension SimulatedDaemon {
    func persist(_ entry: JournalEntry) {
        guard simulation.plan.durablePercent > 0 else {
            simulation.addFinding(Finding("journal", "an entry, although the bus has no journal"))
            return
        }
        let wasBusy = journal.isBusy
        journal.submit(entry)
        if !wasBusy {
            planWrite()
        }
    }

    private func planWrite() {
        simulation.plan(
            .writeJournal(incarnation: incarnation),
            afterMicroseconds: simulation.random.within(simulation.plan.writing))
    }

    func writeJournal(of incarnation: Int) {
        guard incarnation == self.incarnation, journal.isBusy, state != .down else {
            return
        }
        guard state == .running else {
            planWrite()
            return
        }
        if simulation.isFaulty, simulation.random.isLucky(2) {
            simulation.count(.journalFault)
            handle(.notPersisted(upTo: journal.fail(), "the disk is broken"))
        } else {
            handle(.persisted(upTo: journal.write(simulation.random.within(1...8))))
        }
        if journal.isBusy, state == .running {
            planWrite()
        }
    }
}
