// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeWire
import Testing

// Single faults, and the state expected after each.
@Suite struct JournalTests {
    @Test func `a reopened journal has the last record of each key`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1, "first"), put(2, "second")])
        try journal.write([put(1, "changed"), JournalChange(key: EventID(journal: 2), body: nil)])
        try journal.write([put(3, "third")])
        let report = try opened(journal.disk).report
        #expect(report.records == [Array("changed".utf8), Array("third".utf8)])
        #expect(report.droppedByteCount == 0)
        #expect(report.fault == nil)
    }

    @Test func `a write of many records syncs once, and an unsynced removal never`() throws {
        var (journal, _) = try opened()
        let before = journal.disk.disk.syncCount
        try journal.write((0..<100).map { put($0) })
        #expect(journal.disk.disk.syncCount == before + 1)
        try journal.write([
            JournalChange(key: EventID(journal: 5), body: nil, isSynced: false)
        ])
        #expect(journal.disk.disk.syncCount == before + 1)
    }

    @Test func `a write without room fails as a whole, and writes succeed once there is room`()
        throws
    {
        var (journal, _) = try opened()
        try journal.write([put(1)])
        journal.disk.disk.capacity = journal.disk.disk.usedByteCount + 70
        #expect(throws: JournalError.self) { try journal.write([put(2), put(3)]) }
        #expect(try opened(journal.disk).report.droppedByteCount == 0)
        journal.disk.disk.capacity = .max
        try journal.write([put(4)])
        let report = try opened(journal.disk).report
        #expect(report.records.count == 2)
        #expect(report.damagedCount == 0)
    }

    @Test func `a removal that found no room is written by a later write`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1), put(2)])
        journal.disk.disk.capacity = 0
        #expect(throws: JournalError.self) {
            try journal.write([JournalChange(key: EventID(journal: 1), body: nil)])
        }
        journal.disk.disk.capacity = .max
        try journal.write([put(3)])
        #expect(try opened(journal.disk).report.records.count == 2)
    }

    @Test func `after a failed sync, later records are written to another file`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1, "kept")])
        let file = try #require(journal.disk.disk.names.first)
        journal.disk.disk.failingSync = 1
        #expect(throws: JournalError.self) { try journal.write([put(2, "refused")]) }
        try journal.write([put(3, "later")])
        #expect(!journal.disk.disk.names.contains(file))
        let report = try opened(journal.disk).report
        #expect(report.records == [Array("kept".utf8), Array("later".utf8)])
    }

    @Test func `a read-only folder is read, reports its fault and refuses writes`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1)])
        var folder = journal.disk
        folder.disk.isReadOnly = true
        var (second, report) = try opened(folder)
        #expect(report.records.count == 1)
        #expect(report.fault == "readOnly")
        #expect(throws: JournalError.self) { try second.write([put(2)]) }
        second.disk.disk.isReadOnly = false
        try second.write([put(2)])
        #expect(try opened(second.disk).report.records.count == 2)
    }

    @Test func `a corrupt record is counted, and its file is kept as evidence`() throws {
        var (journal, _) = try opened()
        try journal.write([put(1, "first"), put(2, "second"), put(3, "third")])
        var folder = journal.disk
        let file = try #require(folder.disk.names.first)
        let place = try #require(
            folder.disk.read(file).indices.first { index in
                try folder.disk.read(file)[index...].starts(with: "second".utf8)
            })
        folder.disk.flipBit(place * 8, of: file)
        let (reopened, report) = try opened(folder)
        #expect(report.records == [Array("first".utf8), Array("third".utf8)])
        #expect(report.damagedCount == 1)
        #expect(report.evidence == [file + ".damaged"])
        #expect(reopened.disk.disk.names.contains(file + ".damaged"))
        #expect(try opened(reopened.disk).report.damagedCount == 0)
    }

    @Test func `the disk usage stays within a few megabytes of the live records`() throws {
        var (journal, _) = try opened()
        let body = [UInt8](repeating: 1, count: 1_000)
        var largest = 0
        for number in 0..<20_000 as Range<UInt64> {
            try journal.write([JournalChange(key: EventID(journal: number % 500), body: body)])
            largest = max(largest, journal.disk.disk.usedByteCount)
        }
        #expect(journal.liveByteCount < 600_000)
        // The last 4 MiB are the reserve.
        #expect(largest < 3 * 600_000 + 5 << 20 + 4 << 20)
        #expect(try opened(journal.disk).report.records.count == 500)
    }
}
