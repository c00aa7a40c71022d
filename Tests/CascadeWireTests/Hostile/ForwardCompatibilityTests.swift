// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Messages of newer peers contain more than this version knows.
@Suite struct ForwardCompatibilityTests {
    /// The unknown field stands before and after all others.
    @Test(arguments: Fixture.all)
    func `an unknown field is skipped`(_ fixture: Fixture) throws {
        let unknown: [UInt8] = [0xEE, 0xFF, 3, 0, 0, 0, 1, 2, 3]
        var header = try Header(parsing: fixture.encoded)
        let fields = fixture.encoded.dropFirst(Header.byteCount).prefix(Int(header.fieldsLength))
        let payload = header.payload(of: fixture.encoded)
        header.fieldsLength += UInt32(2 * unknown.count)
        let message = header.encoded() + unknown + fields + unknown + payload
        if fixture.isTyped {
            try fixture.expectValue(message)
        } else {
            let raised = try RaisedFields(fields: header.fields(of: message))
            let expected = try RaisedFields(fields: FieldReader(fields))
            #expect(raised == expected)
        }
    }

    @Test func `parts after the last known one are ignored`() throws {
        var fields = FieldWriter()
        fields.append(.limit) { parts in
            parts.append("depth")
            parts.append(UInt64(7))
            parts.append("what a later version adds")
        }
        let welcome = try Welcome(header: Header(.welcome), fields: FieldReader(fields.bytes))
        #expect(welcome.limits == [NamedNumber("depth", 7)])
    }

    @Test func `an error with an unknown number keeps its sentence`() throws {
        var fields = FieldWriter()
        fields.append(.sentence, "out of luck")
        let reader = FieldReader(fields.bytes)
        let refused = try Refused(header: Header(.refused, id: 1, code: 60), fields: reader)
        let violation = try Violation(header: Header(.violation, code: 31), fields: reader)
        let detached = try Detached(header: Header(.detached, code: 95), fields: reader)
        #expect(refused == Refused(request: 1, code: .malformed, sentence: "out of luck"))
        #expect(violation == Violation(.malformed, "out of luck"))
        #expect(detached.reason == .malformed)
        #expect(detached.sentence == "out of luck")
    }

    @Test func `a version beyond the range of headers is refused`() {
        #expect(throws: WireError.self) {
            try Welcome(header: Header(.welcome, code: 65_537), fields: FieldReader([]))
        }
    }

    @Test func `an unknown query is refused instead of malformed`() {
        let error = #expect(throws: WireError.self) {
            try Query(header: Header(.query, code: 99), fields: FieldReader([]))
        }
        #expect(error?.code == .unknownQuery)
    }
}
