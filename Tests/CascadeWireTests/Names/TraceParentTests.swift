// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// The `traceparent` of the W3C recommendation Trace Context.
@Suite struct TraceParentTests {
    private static let right = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a valid traceparent is kept as it is`() {
        #expect(TraceParent(Self.right)?.description == Self.right)
    }

    @Test func `a traceparent of a later version keeps its known part`() {
        let later = "cc" + Self.right.dropFirst(2)
        #expect(TraceParent(later)?.description == Self.right)
        #expect(TraceParent(later + "-what-comes-later")?.description == Self.right)
        #expect(TraceParent(later + ".") == nil)
    }

    @Test(arguments: [
        "", "00", right + "-", right + "0", String(right.dropLast()), right.uppercased(),
        "ff" + right.dropFirst(2), "0g" + right.dropFirst(2),
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473\u{e9}-0f067aa0ba902b7-01",
    ])
    func `a malformed traceparent is nil`(text: String) {
        #expect(TraceParent(text) == nil)
    }

    @Test func `a field with a malformed traceparent is ignored`() throws {
        var fields = FieldWriter()
        fields.append(.traceParent, "nonsense")
        #expect(try RaisedFields(fields: FieldReader(fields.bytes)) == RaisedFields())
    }
}
