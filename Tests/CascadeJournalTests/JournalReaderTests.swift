// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeTestSupport
import CascadeWire
import Testing

// Whatever the bytes of a file, a reader returns only records that were written, and does not
// trap.
@Suite struct JournalReaderTests {
    private static let name = "00000000000000000001.journal"
    private static let framesOffset = SegmentHeader(number: 1, salt: 0).framesOffset

    /// A file with records of various lengths, and one removal.
    private static func file() throws -> [UInt8] {
        var journal = Journal(disk: SimulatedFolder()) { 0x1234_5678_9ABC_DEF0 }
        _ = try journal.open()
        for number in 1...12 as ClosedRange<UInt64> {
            try journal.write([
                JournalChange(
                    key: EventID(journal: number),
                    body: [UInt8](repeating: UInt8(number), count: Int(number * number) % 29))
            ])
        }
        try journal.write([JournalChange(key: EventID(journal: 3), body: nil)])
        return try journal.disk.read(name)
    }

    @Test func `a complete file is read as it was written`() throws {
        let reader = try JournalReader(Self.file())
        #expect(reader.entries.map(\.frame.number) == Array(1...13))
        #expect(reader.entries.last?.frame.body == nil)
        #expect(reader.damagedCount == 0)
        #expect(reader.droppedByteCount == 0)
    }

    @Test func `a truncated file gives the records before the cut`() throws {
        let bytes = try Self.file()
        let whole = try JournalReader(bytes).entries
        for count in bytes.indices {
            let reader = try JournalReader(Array(bytes[..<count]))
            #expect(reader.entries == Array(whole.prefix(reader.entries.count)))
            #expect(reader.damagedCount == 0)
            let end = reader.entries.count < whole.count ? whole[reader.entries.count].offset : 0
            #expect(!reader.hasHeader || count - reader.droppedByteCount <= end)
        }
    }

    @Test func `a flipped bit loses at most one record, and none in a copy of the header`() throws {
        let bytes = try Self.file()
        let whole = try JournalReader(bytes).entries.map(\.frame)
        let places = Array(0..<40) + Array(4_096..<bytes.count)
        for bit in places.flatMap({ ($0 * 8)..<($0 * 8 + 8) }) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let reader = try JournalReader(flipped)
            let found = reader.entries.map(\.frame)
            #expect(found.allSatisfy { whole.contains($0) })
            #expect(found.count >= whole.count - (bit / 8 < Self.framesOffset ? 0 : 1))
            #expect(reader.damagedCount == 1 || found.count == whole.count)
            #expect(reader.damagedCount == 1 || bit / 8 >= Self.framesOffset)
            #expect(reader.droppedByteCount == 0)
        }
    }

    @Test func `a file that has lost its header is damaged, and one of zeros is unbegun`() throws {
        let bytes = try Self.file()
        var damaged = bytes
        damaged[3] ^= 1
        damaged[4_096 + 3] ^= 1
        #expect(try JournalReader(damaged).damagedCount == 1)
        #expect(try JournalReader(damaged).entries.isEmpty)
        let zeros = [UInt8](repeating: 0, count: Self.framesOffset)
        let unbegun = try JournalReader(zeros + bytes[Self.framesOffset...])
        #expect(unbegun.damagedCount == 0)
        #expect(unbegun.droppedByteCount == bytes.count)
    }

    @Test func `a corrupt last record counts as damaged, and a torn one is dropped`() throws {
        let bytes = try Self.file()
        let last = try #require(try JournalReader(bytes).entries.last)
        for place in last.offset..<(bytes.count - 8) {
            var flipped = bytes
            flipped[place] ^= 0x10
            #expect(try JournalReader(flipped).damagedCount == 1)
            // The same file after a power failure during the write.
            flipped.replaceSubrange(place..., with: repeatElement(0, count: bytes.count - place))
            let torn = try JournalReader(flipped)
            #expect(torn.damagedCount == 0)
            #expect(torn.droppedByteCount == bytes.count - last.offset)
        }
    }

    @Test func `a frame inside a record is not read as a frame of the file`() throws {
        let forged = try Self.file()
        var journal = Journal(disk: SimulatedFolder()) { 0xFEED }
        _ = try journal.open()
        for number in 1...2 as ClosedRange<UInt64> {
            let key = EventID(journal: 100 + number)
            try journal.write([JournalChange(key: key, body: forged)])
        }
        var bytes = try journal.disk.read(Self.name)
        // The first record's header is invalid now.
        bytes[try JournalReader(bytes).entries[0].offset + 4] ^= 0xFF
        let reader = try JournalReader(bytes)
        #expect(reader.entries.map(\.frame.key) == [EventID(journal: 102)])
        #expect(reader.damagedCount == 1)
    }

    @Test func `random bytes give no records`() throws {
        var generator = SeededGenerator(seed: 29)
        let start = try Array(Self.file().prefix(Self.framesOffset))
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<400, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let reader = try JournalReader(Bool.random(using: &generator) ? start + bytes : bytes)
            #expect(reader.entries.isEmpty)
        }
    }

    @Test func `a frame or file with the greatest number is ignored`() throws {
        let key = EventID(journal: 1)
        let salt: UInt64 = 5
        var bytes = SegmentHeader(number: 1, salt: salt).encoded()
        bytes += JournalFrame(number: 7, key: key, body: [1]).encoded(salt: salt)
        bytes += JournalFrame(number: .max, key: key, body: [2]).encoded(salt: salt)
        var folder = SimulatedFolder()
        for name in [Self.name, "18446744073709551615.journal"] {
            try folder.create(name)
            try folder.write(bytes, to: name, at: 0)
            try folder.sync(name)
        }
        var journal = Journal(disk: folder) { salt }
        #expect(try journal.open().records == [[1]])
        try journal.write([JournalChange(key: EventID(journal: 2), body: [3])])
    }

    @Test func `a journal that has used its last number is read, and cannot be written`() throws {
        var bytes = SegmentHeader(number: 1, salt: 5).encoded()
        bytes += JournalFrame(number: 1 << 62, key: EventID(journal: 1), body: [1])
            .encoded(salt: 5)
        var folder = SimulatedFolder()
        try folder.create(Self.name)
        try folder.write(bytes, to: Self.name, at: 0)
        try folder.sync(Self.name)
        var journal = Journal(disk: folder) { 6 }
        #expect(try journal.open().records == [[1]])
        #expect(throws: JournalError.outOfNumbers) {
            try journal.write([JournalChange(key: EventID(journal: 2), body: [2])])
        }
        var again = Journal(disk: journal.disk) { 7 }
        #expect(try again.open().records == [[1]])
    }

    @Test func `a file of a newer format is an error`() throws {
        var bytes = try Self.file()
        bytes[8] = 3
        let checksum = CRC32C.checksum(bytes[..<36])
        for shift in 0..<4 {
            bytes[36 + shift] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(shift)))
        }
        bytes.replaceSubrange(4_096..<4_136, with: bytes[..<40])
        #expect(throws: JournalError.self) { try JournalReader(bytes) }
    }
}
