// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Declarations of nodes by hostile peers.
@Suite struct NodeDeclarationTests {
    @Test(arguments: [0, 10, 255] as [UInt8])
    func `a responder of an unknown kind is malformed`(number: UInt8) {
        let error = errorCode { fields in
            fields.append(.responder) { parts in
                parts.append(number)
                parts.append("OrderReady")
            }
        }
        #expect(error == .malformed)
    }

    @Test func `a predicate that is truncated or not UTF-8 is malformed`() {
        for bytes in [[2, 0, 0xFF, 0xFE], [2, 0, 0x41], [2]] as [[UInt8]] {
            let error = errorCode { fields in
                fields.append(.responder) { parts in
                    parts.append(ResponderKind.handle.rawValue)
                    parts.append("OrderReady")
                    for byte in bytes {
                        parts.append(byte)
                    }
                }
            }
            #expect(error == .malformed)
        }
    }

    @Test func `parts after a predicate are ignored`() throws {
        let declaration = try declaration { fields in
            fields.append(.responder) { parts in
                parts.append(ResponderKind.respond.rawValue)
                parts.append("*")
                parts.append("table > 3")
                parts.append("what a later version adds")
            }
        }
        #expect(
            declaration.responders == [ResponderDeclaration(.respond, nil, when: "table > 3")])
    }

    @Test func `declared names may be missing, empty or several`() throws {
        let undeclared = try declaration { _ in }
        #expect(undeclared.triggers == nil)
        #expect(undeclared.reports == nil)
        let declared = try declaration { fields in
            fields.append(.triggers, "")
            fields.append(.reports, "OutOfPlates")
            fields.append(.reports, "OvenTooHot")
        }
        #expect(declared.triggers == [])
        #expect(
            declared.reports
                == [Fixture.outOfPlates, EventName("OvenTooHot")])
    }

    @Test func `an empty name beside others declares no name`() throws {
        let declaration = try declaration { fields in
            fields.append(.triggers, "")
            fields.append(.triggers, "OrderReady")
            fields.append(.triggers, "")
        }
        #expect(declaration.triggers == [Fixture.orderReady])
    }

    @Test(arguments: [FieldTag.triggers, .reports], ["*", "out of plates", "\u{1B}"])
    func `a declared name that breaks the rule is refused`(tag: FieldTag, name: String) {
        #expect(errorCode { $0.append(tag, name) } == .badName)
    }

    @Test(arguments: [FieldTag.safety, .explicitResponders])
    func `a safety level of another width is malformed`(tag: FieldTag) {
        #expect(errorCode { $0.append(tag, UInt16(1)) } == .malformed)
        #expect(errorCode { $0.append(tag, if: true) } == .malformed)
    }

    private func fields(_ write: (inout FieldWriter) -> Void) -> FieldReader {
        var fields = FieldWriter()
        fields.append(.path, "/kitchen")
        write(&fields)
        return FieldReader(fields.bytes)
    }

    private func declaration(
        _ write: (inout FieldWriter) -> Void
    ) throws -> NodeDeclaration {
        try Change(header: Header(.change), fields: fields(write)).declaration
    }

    private func errorCode(_ write: (inout FieldWriter) -> Void) -> ErrorCode? {
        Reading.errorCode { try declaration(write) }
    }
}
