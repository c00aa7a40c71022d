// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// The fields of raised messages, verdicts and outcomes of hostile peers.
@Suite struct RaisedTests {
    @Test(arguments: [FieldTag.cause, .eventID])
    func `a truncated event ID is malformed`(tag: FieldTag) {
        for byteCount in 0..<24 {
            let fields = raised(tag, byteCount: byteCount)
            #expect(Reading.errorCode { try RaisedFields(fields: fields) } == .malformed)
        }
    }

    @Test(arguments: [FieldTag.cause, .eventID])
    func `parts after an event ID are ignored`(tag: FieldTag) throws {
        let short = try RaisedFields(fields: raised(tag, byteCount: 24))
        let long = try RaisedFields(fields: raised(tag, byteCount: 31))
        #expect(short == long)
        #expect(short != RaisedFields())
    }

    @Test func `a hold time of another width is malformed`() {
        var fields = FieldWriter()
        fields.append(.hold, UInt64(60_000))
        let reader = FieldReader(fields.bytes)
        #expect(Reading.errorCode { try RaisedFields(fields: reader) } == .malformed)
    }

    @Test func `there are four lanes`() {
        for number in 0...255 as ClosedRange<UInt32> {
            #expect((LaneCode(rawValue: number | 1 << 8) != nil) == (number < 4))
        }
    }

    @Test func `an unknown verdict or outcome is malformed`() {
        for number in [0, 6, .max] as [UInt32] {
            let header = Header(.verdict, code: number)
            #expect(
                Reading.errorCode { try Verdict(header: header, fields: FieldReader([])) }
                    == .malformed)
        }
        for number in [0, 11, .max] as [UInt32] {
            let header = Header(.outcome, code: number)
            #expect(
                Reading.errorCode { try OutcomeMessage(header: header, fields: FieldReader([])) }
                    == .malformed)
        }
    }

    /// Trails of older, current and newer daemons.
    @Test func `the message and title of an error are optional in a trail`() throws {
        let full = try visit(["230 degrees", "Oven too hot", "what a later version adds"])
        #expect(full.message == "230 degrees")
        #expect(full.title == "Oven too hot")
        let untitled = try visit(["230 degrees"])
        #expect(untitled.message == "230 degrees")
        #expect(untitled.title == nil)
        let titled = try visit(["", "Oven too hot"])
        #expect(titled.message == nil)
        #expect(titled.title == "Oven too hot")
        let plain = try visit([])
        #expect(plain.message == nil)
        #expect(plain.title == nil)
    }

    @Test func `each kind of responder is asked in its lanes`() {
        let lanes: [ResponderKind: Set<Lane>] = [
            .receive: [.event, .cascade], .handle: [.event, .cascade], .transform: [.event],
            .observe: [.event, .request, .cascade], .respond: [.request], .catch: [.error],
            .receiveError: [.error], .handleError: [.error], .transformError: [.error],
        ]
        for kind in ResponderKind.allCases {
            #expect(Set(Lane.allCases.filter(kind.sees)) == lanes[kind])
        }
    }

    private func raised(_ tag: FieldTag, byteCount: Int) -> FieldReader {
        var fields = FieldWriter()
        fields.append(tag) { parts in
            for byte in 0..<byteCount {
                parts.append(UInt8(byte))
            }
        }
        return FieldReader(fields.bytes)
    }

    private func visit(_ words: [String]) throws -> VisitRecord {
        var fields = FieldWriter()
        fields.append(.visited) { parts in
            parts.append("/kitchen")
            parts.append(UInt16(2))
            parts.append(ResponderKind.receiveError.rawValue)
            parts.append("OvenTooHot")
            parts.append(UInt8(1))
            parts.append(UInt32(300))
            for text in words {
                parts.append(text)
            }
        }
        let header = Header(.outcome, sequence: 1, code: OutcomeCode.failed.rawValue)
        var message = header
        message.fieldsLength = UInt32(fields.bytes.count)
        let ended = try OutcomeMessage(parsing: message.encoded() + fields.bytes)
        return try #require(ended.trail.first)
    }
}
