// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeWire

/// Checks the reading of damaged journal files: all records before the damage are found, no record is found
/// that was not written, and the found records remain when the journal is written again.
enum JournalFuzzing {
    private static let file = "00000000000000000001.journal"

    static func run(_ bytes: [UInt8]) {
        _ = read(bytes)
        reopen([file: bytes])
        var source = ByteSource(bytes)
        let segment = FuzzedSegment(&source)
        if let reader = read(segment.bytes) {
            let found = reader.entries.map(\.frame)
            let intact = segment.intactFrames
            precondition(found.starts(with: intact), "a record before the damage is lost")
            precondition(
                found.allSatisfy(segment.hasWritten), "a record is found that was not written")
        }
        reopen([file: segment.bytes])
        recover(bytes)
    }

    private static func read(_ bytes: [UInt8]) -> JournalReader? {
        guard let reader = try? JournalReader(bytes) else {
            return nil
        }
        precondition(reader.hasHeader || reader.droppedByteCount == bytes.count)
        var end = 0
        for entry in reader.entries {
            precondition(entry.offset >= end, "two frames overlap")
            end = entry.offset + entry.byteCount
        }
        precondition(end + reader.droppedByteCount <= bytes.count)
        precondition((try? JournalReader(bytes))?.entries == reader.entries)
        return reader
    }

    /// Opens the journal, writes another record, and opens it again.
    private static func reopen(_ files: [String: [UInt8]]) {
        var journal = Journal(disk: FuzzedDisk(files)) { 0xFEED }
        guard let report = try? journal.open() else {
            return
        }
        precondition(report.fault == nil, "\(report.fault ?? "")")
        let key = EventID(session: SessionID(high: .max, low: 0), sequence: 1)
        let added: [UInt8] = [1, 2, 3]
        var again = Journal(disk: journal.disk) { 0xFEED }
        do throws(JournalError) {
            try journal.write([JournalChange(key: key, body: added)])
            again = Journal(disk: journal.disk) { 0xFACE }
            let report = try (before: report, after: again.open())
            precondition(report.after.records == report.before.records + [added])
            precondition(report.after.damagedCount == 0 && report.after.droppedByteCount == 0)
        } catch {
            precondition(error == .outOfNumbers, "an error without a fault: \(error)")
            return
        }
        precondition(again.liveByteCount == journal.liveByteCount)
    }

    /// Checks that a broker that recovers such records ends all of their events.
    private static func recover(_ bytes: [UInt8]) {
        var records: [[UInt8]] = [bytes]
        var source = ByteSource(bytes)
        while let record = source.block() {
            records.append(record)
        }
        var bus = FuzzedBus(keepsDurable: true)
        bus.recover(records)
        bus.advance(milliseconds: 60_000)
        bus.advance(milliseconds: .max)
        bus.advance(milliseconds: .max)
        precondition(bus.isIdle, "a message is under way after all deadlines")
    }
}
