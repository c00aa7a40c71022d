// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// The rule for names, and errors that quote the offending text harmlessly.
@Suite struct EventNameTests {
    @Test(arguments: ["a", "_", "0", "OrderReady", "order.ready:v2-beta", "a..", "A_1"])
    func `letters, digits and inner punctuation make a name`(text: String) throws {
        #expect(try EventName(text).description == text)
    }

    @Test func `a name has up to 128 bytes`() throws {
        #expect(throws: Never.self) { try EventName(String(repeating: "n", count: 128)) }
        #expect(throws: NameError.self) { try EventName(String(repeating: "n", count: 129)) }
    }

    @Test(arguments: BadComponent.all)
    func `any other name is refused`(_ bad: BadComponent) {
        let error = #expect(throws: NameError.self) { try EventName(bad.text) }
        #expect(error?.description.isHarmless == true)
    }

    @Test func `the refusal quotes the name escaped`() {
        let text = "a\u{1B}[31mb"
        let error = #expect(throws: NameError.self) { try EventName(text) }
        #expect(
            error?.description
                == #"the name 'a\u{1b}[31mb' is not valid: letters, digits and _ . : - are "#
                + "allowed, beginning with a letter, a digit or _")
    }

    @Test func `a name on the wire that breaks the rule is refused as badName`() {
        var fields = FieldWriter()
        fields.append(.name, "no name")
        let error = #expect(throws: WireError.self) {
            try RaisedFields(fields: FieldReader(fields.bytes))
        }
        #expect(error?.code == .badName)
    }

    @Test func `text on the wire that is not UTF-8 is malformed`() {
        let error = #expect(throws: WireError.self) {
            try RaisedFields(fields: FieldReader([25, 0, 2, 0, 0, 0, 0xC3, 0x28]))
        }
        #expect(error?.code == .malformed)
    }
}
