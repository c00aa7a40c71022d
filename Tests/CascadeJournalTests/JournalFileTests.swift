// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeWire
import Testing

// The files of a journal when one is damaged, cannot be removed, or has no room beside it.
@Suite struct JournalFileTests {
    private func outcome(_ number: UInt64, _ text: String = "outcome") -> JournalChange {
        JournalChange(
            key: EventID(journal: number), body: Array(text.utf8), mayUseReserve: true)
    }

    private func removal(_ number: UInt64) -> JournalChange {
        JournalChange(key: EventID(journal: number), body: nil)
    }

    // MARK: - Damage

    @Test(arguments: [0, 1])
    func `a damaged header loses no record, is counted, and its file is kept`(copy: Int) throws {
        var (journal, _) = try opened()
        try journal.write([put(1), put(2)])
        var folder = journal.disk
        let file = try #require(folder.disk.names.first)
        folder.disk.flipBit((copy * 4_096 + 17) * 8, of: file)
        let (reopened, report) = try opened(folder)
        #expect(report.records.count == 2)
        #expect(report.damagedCount == 1)
        #expect(report.evidence == [file + ".damaged"])
        #expect(reopened.disk.disk.names.contains(file + ".damaged"))
    }

    @Test func `a damaged last record is counted, and the file is kept`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1, "first"), put(2, "second")])
        var folder = journal.disk
        let file = try #require(folder.disk.names.first)
        folder.disk.flipBit((try folder.disk.read(file).count - 12) * 8, of: file)
        let (reopened, report) = try opened(folder)
        #expect(report.records == [Array("first".utf8)])
        #expect(report.damagedCount == 1 && report.droppedByteCount == 0)
        #expect(reopened.disk.disk.names.contains(file + ".damaged"))
    }

    @Test func `a record that is corrupted while the journal is open is counted and its file kept`()
        throws
    {
        var (journal, _) = try opened()
        try journal.write([put(1, "first"), put(2, "second")])
        let file = try #require(journal.disk.disk.names.first)
        let bytes = try journal.disk.disk.read(file)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "second".utf8) })
        journal.disk.disk.flipBit(place * 8, of: file)
        let body = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<6 {
            try journal.write([JournalChange(key: EventID(journal: 3), body: body)])
        }
        #expect(journal.disk.disk.names.contains(file + ".damaged"))
        let found = journal.takeDamage()
        let damage = try #require(found)
        #expect(damage.count == 1 && damage.evidence == [file + ".damaged"])
        let later = journal.takeDamage()
        #expect(later == nil)
        #expect(try opened(journal.disk).report.records.count == 2)
    }

    // MARK: - Files that cannot be removed

    @Test func `an ended event does not return with a file that could not be removed`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1), put(2)])
        journal.disk.disk.refusesRemoval = true
        var second = try opened(journal.disk).journal
        try second.write([removal(1)])
        // The next file does not mention the event that has ended.
        var third = try opened(second.disk).journal
        #expect(third.disk.disk.names.count { $0.hasSuffix(".journal") } == 3)
        #expect(try opened(third.disk).report.records.count == 1)
        try third.write([removal(2)])
        var fourth = try opened(third.disk)
        #expect(fourth.report.records.isEmpty)
        // A file that could not be removed is removed once that is possible.
        fourth.journal.disk.disk.refusesRemoval = false
        let last = try opened(fourth.journal.disk)
        #expect(last.report.records.isEmpty && last.report.evidence.isEmpty)
        #expect(last.journal.disk.disk.names.count { $0.hasSuffix(".journal") } == 1)
    }

    @Test func `later records are read although an unfinished file could not be removed`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1, "kept")])
        // The compaction writes its file whole, cannot sync it, and cannot remove it: the third
        // sync follows those of the change and of the copied records.
        let body = [UInt8](repeating: 1, count: 5 << 20)
        journal.disk.disk.failingSync = 3
        journal.disk.disk.refusesRemoval = true
        try journal.write([JournalChange(key: EventID(journal: 2), body: body)])
        try journal.write([put(3, "later")])
        let report = try opened(journal.disk).report
        #expect(report.records.count == 3)
        #expect(report.records.last == Array("later".utf8))
    }

    @Test func `a new file replaces the earlier ones only once its records are synced`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1), put(2)])
        var folder = journal.disk
        folder.disk.failingSync = 1
        folder.disk.refusesRemoval = true
        let second = try opened(folder)
        #expect(second.report.fault != nil)
        let disk = second.journal.disk.disk
        let newest = try #require(disk.names.last { $0.hasSuffix(".journal") })
        let reader = try JournalReader(disk.read(newest))
        #expect(reader.entries.count == 2)
        #expect(!reader.hasCheckpoint)
    }

    // MARK: - The reserve

    @Test func `on a full disk outcomes use the reserve, and new events are refused`() throws {
        var (journal, _) = try opened()
        try journal.write((1...50).map { put($0) })
        journal.disk.disk.capacity = journal.disk.disk.usedByteCount
        #expect(throws: JournalError.self) { try journal.write([put(51)]) }
        #expect(journal.reserveFault == nil)
        for number in 1...50 as ClosedRange<UInt64> {
            try journal.write([outcome(number)])
        }
        #expect(journal.reserveFault == "full")
        // A new event waits for the reserve, even where the record itself would fit.
        #expect(throws: JournalError.self) { try journal.write([put(52)]) }
        for number in 1...40 as ClosedRange<UInt64> {
            try journal.write([removal(number)])
        }
        #expect(try opened(journal.disk).report.records.count == 10)
        journal.disk.disk.capacity = .max
        try journal.write([put(53)])
        #expect(journal.reserveFault == nil)
        #expect(journal.disk.disk.names.contains("reserve"))
        #expect(try opened(journal.disk).report.records.count == 11)
    }

    @Test func `a journal on a full disk opens, writes outcomes with the reserve and recovers`()
        throws
    {
        var (journal, _) = try opened()
        try journal.write((1...50).map { put($0) })
        journal.disk.disk.capacity = journal.disk.disk.usedByteCount
        var (second, report) = try opened(journal.disk)
        #expect(report.records.count == 50)
        try second.write([outcome(1)])
        second.disk.disk.capacity = .max
        try second.write([put(51)])
        #expect(try opened(second.disk).report.records.count == 51)
    }

    @Test func `a file of obsolete records is compacted within the reserve`() throws {
        var (journal, _) = try opened()
        let body = [UInt8](repeating: 1, count: 3 << 20)
        try journal.write([JournalChange(key: EventID(journal: 1), body: body), put(2)])
        try journal.write([removal(1)])
        journal.disk.disk.capacity = journal.disk.disk.usedByteCount
        let rewritten = [UInt8](repeating: 2, count: 1 << 20)
        for _ in 0..<20 {
            try journal.write([
                JournalChange(key: EventID(journal: 3), body: rewritten, mayUseReserve: true)
            ])
        }
        #expect(try opened(journal.disk).report.records.count == 2)
    }

    @Test func `a small disk has a smaller reserve, and without one no event is written`() throws {
        var folder = SimulatedFolder()
        folder.totalByteCount = 256 << 10
        folder.disk.capacity = 256 << 10
        var (small, report) = try opened(folder)
        #expect(report.fault == nil)
        #expect(small.disk.disk.usedByteCount > 64 << 10)
        try small.write([put(1)])
        folder.disk.capacity = 20 << 10
        var (tiny, tinyReport) = try opened(folder)
        #expect(tinyReport.fault == "full")
        #expect(throws: JournalError.self) { try tiny.write([put(1)]) }
        try tiny.write([outcome(1)])
    }
}
