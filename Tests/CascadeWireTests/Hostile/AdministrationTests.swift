// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Queries and administrative commands with missing or unknown parts.
@Suite struct AdministrationTests {
    @Test func `a moved message without a path is malformed`() {
        #expect(
            Reading.errorCode { try Moved(header: Header(.moved, node: 2), fields: none) }
                == .malformed)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt32>)
    func `an administrative command without its path or name is malformed`(number: UInt32) {
        #expect(administer(number) == .malformed)
        #expect(administer(number) { $0.append(.name, "MenuChanged") } == .malformed)
    }

    @Test func `a move that names no new parent goes below the root`() throws {
        var fields = FieldWriter()
        fields.append(.path, "/kitchen/oven")
        let header = Header(.administer, id: 1, code: 1)
        let move = try Administer(header: header, fields: FieldReader(fields.bytes))
        #expect(move.change == .move(path: "/kitchen/oven", under: .root))
    }

    @Test func `clearing a retained publication requires a name`() {
        #expect(administer(4) { $0.append(.path, "/kitchen") } == .malformed)
    }

    @Test(arguments: [0, 6, .max] as [UInt32])
    func `an unknown administrative command is refused`(number: UInt32) {
        #expect(administer(number) { $0.append(.path, "/kitchen") } != nil)
    }

    @Test func `a query for a trace requires the whole ID of an event`() {
        #expect(query(4) == .malformed)
        for byteCount in 0..<24 {
            let error = query(4) { fields in
                fields.append(.eventID) { parts in
                    for _ in 0..<byteCount {
                        parts.append(UInt8(1))
                    }
                }
            }
            #expect(error == .malformed)
        }
    }

    @Test func `a query for a route requires a name`() {
        #expect(query(7) { $0.append(.path, "/kitchen") } == .malformed)
    }

    @Test func `a monitor query for an unknown kind of event is refused`() {
        #expect(query(8) { $0.append(.happeningKind, UInt8(0)) } != nil)
        #expect(query(8) { $0.append(.happeningKind, UInt8(7)) } != nil)
    }

    @Test(arguments: [FieldTag.namePattern, .pathPattern])
    func `a pattern that is not UTF-8 is malformed`(tag: FieldTag) {
        #expect(query(8) { $0.append(tag, UInt16(0xFEFF)) } == .malformed)
    }

    @Test func `a document that is not UTF-8 is malformed`() {
        var fields = FieldWriter()
        fields.append(.document, UInt16(0xFEFF))
        let reader = FieldReader(fields.bytes)
        #expect(
            Reading.errorCode { try DocumentAnswer(header: Header(.answer), fields: reader) }
                == .malformed)
    }

    private let none = FieldReader([])

    private func administer(
        _ number: UInt32, _ write: (inout FieldWriter) -> Void = { _ in }
    ) -> ErrorCode? {
        var fields = FieldWriter()
        write(&fields)
        let header = Header(.administer, id: 1, code: number)
        return Reading.errorCode {
            try Administer(header: header, fields: FieldReader(fields.bytes))
        }
    }

    private func query(
        _ number: UInt32, _ write: (inout FieldWriter) -> Void = { _ in }
    ) -> ErrorCode? {
        var fields = FieldWriter()
        write(&fields)
        let header = Header(.query, id: 1, code: number)
        return Reading.errorCode { try Query(header: header, fields: FieldReader(fields.bytes)) }
    }
}
