// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

/// Any bytes are read or refused. A trap would end the daemon for all users, and the test run with
/// it.
@Suite struct HostileBytesTests {
    @Test(arguments: Fixture.all)
    func `a truncated message is read or refused`(_ fixture: Fixture) throws {
        let header = try Header(parsing: fixture.encoded)
        let fieldsEnd = Header.byteCount + Int(header.fieldsLength)
        for count in fixture.encoded.indices {
            let prefix = Array(fixture.encoded.prefix(count))
            let payloadCount = count - fieldsEnd
            // A payload may be truncated, but an itinerary must have whole stops.
            let isWhole = header.command != .itinerary || payloadCount > 0 && payloadCount % 8 == 0
            if payloadCount >= 0, isWhole {
                try Reading.message(prefix)
            } else {
                #expect(throws: WireError.self) { try Reading.message(prefix) }
            }
        }
    }

    /// The header has the length of the truncated fields, so that only they are wrong.
    @Test(arguments: Fixture.all)
    func `truncated fields are read or refused`(_ fixture: Fixture) throws {
        var header = try Header(parsing: fixture.encoded)
        let fields = fixture.encoded.dropFirst(Header.byteCount).prefix(Int(header.fieldsLength))
        for count in 0..<fields.count {
            header.fieldsLength = UInt32(count)
            let message = header.encoded() + fields.prefix(count)
            try readOrRefuse(message)
        }
    }

    @Test(arguments: Fixture.all)
    func `a message with a flipped bit is read or refused`(_ fixture: Fixture) throws {
        for index in fixture.encoded.indices {
            for bit in 0..<8 {
                var message = fixture.encoded
                message[index] ^= 1 << bit
                try readOrRefuse(message)
            }
        }
    }

    @Test func `random bytes are read or refused`() throws {
        for seed in 0..<5_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            try readOrRefuse(generator.bytes(countMax: 300))
        }
    }

    @Test func `random fields after a valid header are read or refused`() throws {
        for seed in 0..<5_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var fields = FieldWriter()
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let bytes = generator.bytes(countMax: 30)
                fields.append(generator.one(of: FieldTag.self)) { parts in
                    for byte in bytes {
                        parts.append(byte)
                    }
                }
            }
            var header = generator.header()
            header.fieldsLength = UInt32(fields.bytes.count)
            try readOrRefuse(header.encoded() + fields.bytes)
        }
    }

    @Test(arguments: [0, 1, 7, 9, 15]) func `a partial stop is refused`(byteCount: Int) {
        let stops = [UInt8](repeating: 0, count: byteCount)
        let error = #expect(throws: WireError.self) {
            try Itinerary(parsing: Header(.itinerary).encoded() + stops)
        }
        #expect(error?.code == .malformed)
    }

    @Test func `stops after another command are refused`() {
        #expect(throws: WireError.self) {
            try Itinerary(parsing: Header(.visit).encoded() + [UInt8](repeating: 0, count: 8))
        }
    }

    @Test func `a length beyond the end of the frame is refused`() {
        var header = Header(.attach)
        header.fieldsLength = .max
        #expect(throws: WireError.self) { try Header(parsing: header.encoded()) }

        var reader = FieldReader([17, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x2F])
        #expect(throws: WireError.self) { try reader.next() }
    }

    @Test func `an unknown command is refused by its number`() {
        var message = Header(.hello).encoded()
        message[0] = 200
        let error = #expect(throws: WireError.self) { try Header(parsing: message) }
        #expect(error == WireError(.unknownCommand, "there is no command 200"))
    }

    /// Errors other than ``WireError`` would not compile; a trap would end the run.
    private func readOrRefuse(_ message: [UInt8]) throws {
        do throws(WireError) {
            try Reading.message(message)
        } catch {
            #expect(!error.description.isEmpty)
            #expect(error.description.isHarmless)
        }
    }
}
