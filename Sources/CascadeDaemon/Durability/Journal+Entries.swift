// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal

extension Journal {
    /// Writes the entries and returns the results, in order. If not all can be written, those that
    /// end events are written alone, because the reserve may have room for them.
    mutating func write(_ entries: [JournalEntry]) -> [Input] {
        guard let last = entries.last else {
            return []
        }
        do throws(JournalError) {
            try write(entries.map(JournalChange.init))
            return [.persisted(upTo: last.number, fault: reserveFault)]
        } catch {
            let ends = entries.filter(\.mayUseReserve)
            guard !ends.isEmpty, ends.count < entries.count,
                (try? write(ends.map(JournalChange.init))) != nil
            else {
                return [.notPersisted(upTo: last.number, error.description)]
            }
            return answers(to: entries, error)
        }
    }

    /// One answer for each run of entries with the same result.
    private func answers(to entries: [JournalEntry], _ error: JournalError) -> [Input] {
        var answers: [Input] = []
        for (index, entry) in entries.enumerated() {
            let next = index + 1
            guard next == entries.count || entries[next].mayUseReserve != entry.mayUseReserve
            else {
                continue
            }
            answers.append(
                entry.mayUseReserve
                    ? .persisted(upTo: entry.number, fault: reserveFault ?? error.description)
                    : .notPersisted(upTo: entry.number, error.description))
        }
        return answers
    }
}

extension JournalChange {
    fileprivate init(_ entry: JournalEntry) {
        self.init(
            key: entry.key, body: entry.body, isSynced: entry.isSynced,
            mayUseReserve: entry.mayUseReserve)
    }
}
