// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Well-formed messages with missing or contradictory parts.
@Suite struct DeclarationTests {
    @Test func `an attach without a node is malformed`() {
        #expect(code { try Attach(header: Header(.attach), fields: FieldReader([])) } == .malformed)
    }

    @Test func `a node without a path is malformed`() {
        #expect(code { try Change(header: Header(.change), fields: FieldReader([])) } == .malformed)
    }

    @Test(arguments: [(0, 1), (0, 0), (2, 1)] as [(UInt16, UInt16)])
    func `a node whose prefetch is below its concurrency is malformed`(
        concurrency: UInt16, prefetch: UInt16
    ) {
        let declaration = NodeDeclaration(
            path: Fixture.kitchen, concurrency: concurrency, prefetch: prefetch)
        let message = Change(request: 1, node: 1, declaration: declaration).encoded()
        #expect(code { try Change(parsing: message) } == .malformed)
    }

    @Test func `an activate message without a path is malformed`() {
        let header = Header(.activate, code: 1)
        #expect(code { try Activate(header: header, fields: FieldReader([])) } == .malformed)
    }

    @Test func `a subscription to every name is refused`() {
        var fields = FieldWriter()
        fields.append(.path, "/kitchen")
        fields.append(.subscription, "*")
        let reader = FieldReader(fields.bytes)
        #expect(code { try Change(header: Header(.change), fields: reader) } == .badName)
    }

    @Test func `a greeting of another protocol is malformed`() {
        var fields = FieldWriter()
        fields.append(.protocolName, "mqtt")
        let reader = FieldReader(fields.bytes)
        #expect(code { try Hello(header: Header(.hello), fields: reader) } == .malformed)
    }

    @Test func `an integer of another width is malformed`() {
        var fields = FieldWriter()
        fields.append(.credit, UInt16(7))
        let reader = FieldReader(fields.bytes)
        #expect(code { try Welcome(header: Header(.welcome), fields: reader) } == .malformed)
    }

    @Test func `a message of another command is malformed`() {
        #expect(code { try Leave(parsing: Header(.beat).encoded()) } == .malformed)
    }

    private func code(_ read: () throws -> Any?) -> ErrorCode? {
        Reading.errorCode(read)
    }
}
