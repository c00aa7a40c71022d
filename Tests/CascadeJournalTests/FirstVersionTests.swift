// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeWire
import Testing

// A journal written by release 0.1.0 is read and rewritten in the current format.
@Suite struct FirstVersionTests {
    private static let name = "00000000000000000001.journal"

    /// Written by a daemon of release 0.1.0 that was killed after accepting two durable events.
    private static let hexadecimal = """
        435343444a524e4c01000000000000000100000000000000e18f06ba43e57fd50000000000f552fa
        4a524e4c91000000010000000000000086da588d9c0cc9b605925607d0778aff0100000000000000
        01000000275386d800000000f3871c9e109a000055000000ffffffff000000000000000000000000
        0100000000000000ffffffff0000000030750000000000001900050000004f726465723200010000
        002f04001000000086da588d9c0cc9b605925607d0778aff71000400000000000000720001000000
        2f740008000000d15c260500000000730008000000d1000000000000007b226e756d626572223a31
        7d000000000000004a524e4c91000000020000000000000001d742662499a20c49fa6fd505cbf469
        010000000000000001000000f838a4b800000000f2b50eae109a000055000000ffffffff00000000
        00000000000000000100000000000000ffffffff0000000030750000000000001900050000004f72
        6465723200010000002f04001000000001d742662499a20c49fa6fd505cbf4697100040000000000
        00007200010000002f7400080000007e5d2605000000007300080000007e010000000000007b226e
        756d626572223a327d00000000000000
        """

    private static var bytes: [UInt8] {
        let digits = hexadecimal.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
    }

    private static func folder(_ bytes: [UInt8]) throws -> SimulatedFolder {
        var folder = SimulatedFolder()
        try folder.create(name)
        try folder.write(bytes, to: name, at: 0)
        try folder.sync(name)
        return folder
    }

    @Test func `both events of a journal of release 0.1.0 are read and rewritten`() throws {
        let reader = try JournalReader(Self.bytes)
        #expect(reader.entries.map(\.frame.number) == [1, 2])
        #expect(reader.damagedCount == 0 && reader.droppedByteCount == 0)
        #expect(!reader.hasCheckpoint)
        var journal = Journal(disk: try Self.folder(Self.bytes)) { 5 }
        let report = try journal.open()
        let payloads = try report.records.map { record in
            String(decoding: try Header(parsing: record).payload(of: record), as: UTF8.self)
        }
        #expect(payloads == [#"{"number":1}"#, #"{"number":2}"#])
        #expect(report.fault == nil)
        #expect(!journal.disk.disk.names.contains(Self.name))
        var again = Journal(disk: journal.disk) { 6 }
        #expect(try again.open().records == report.records)
    }

    @Test func `a corrupt last record counts as damaged, and a torn one is dropped`() throws {
        var flipped = Self.bytes
        flipped[flipped.count - 12] ^= 1
        var journal = Journal(disk: try Self.folder(flipped)) { 5 }
        let report = try journal.open()
        #expect(report.records.count == 1 && report.damagedCount == 1)
        #expect(journal.disk.disk.names.contains(Self.name + ".damaged"))
        let torn = try JournalReader(Array(Self.bytes.dropLast(16)))
        #expect(torn.entries.count == 1 && torn.damagedCount == 0 && torn.droppedByteCount > 0)
    }
}
