// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Errors as peers write them: their causes are a list of any length, and never a tree.
@Suite struct FailureTests {
    @Test func `fields without the name of an error are no failure`() throws {
        var fields = FieldWriter()
        fields.append(.errorMessage, "no plate is clean")
        fields.append(.errorTitle, "Plates")
        fields.append(.errorNode, "/kitchen")
        #expect(try Failure(fields: FieldReader(fields.bytes)) == nil)
    }

    @Test func `a cause without a name is malformed`() {
        #expect(Reading.errorCode { try Failure(fields: error { _ in }) } == .malformed)
        let nameless = error { $0.append(.errorMessage, "no plate is clean") }
        #expect(Reading.errorCode { try Failure(fields: nameless) } == .malformed)
    }

    @Test func `a truncated cause is malformed`() {
        var fields = FieldWriter()
        fields.append(.errorName, "OutOfPlates")
        fields.append(.errorCause) { parts in
            parts.append(FieldTag.errorName.rawValue)
            parts.append(UInt32(1000))
            parts.append(UInt8(0x41))
        }
        #expect(Reading.errorCode { try Failure(fields: FieldReader(fields.bytes)) } == .malformed)
    }

    @Test(arguments: [FieldTag.errorName, .errorMessage, .errorTitle, .errorNode])
    func `an error with text that is not UTF-8 is malformed`(_ tag: FieldTag) {
        var fields = FieldWriter()
        fields.append(tag, UInt16(0xFEFF))
        #expect(Reading.errorCode { try Failure(fields: FieldReader(fields.bytes)) } == .malformed)
    }

    @Test func `the name and the path of a cause follow the rules`() {
        let badName = error { $0.append(.errorName, "out of plates") }
        #expect(Reading.errorCode { try Failure(fields: badName) } == .badName)
        let badPath = error { cause in
            cause.append(.errorName, "OutOfPlates")
            cause.append(.errorNode, "kitchen")
        }
        #expect(Reading.errorCode { try Failure(fields: badPath) } == .badPath)
    }

    @Test func `causes within a cause are skipped at any depth`() throws {
        var innermost = FieldWriter()
        innermost.append(.errorName, "Innermost")
        var bytes = innermost.bytes
        for _ in 0..<2_000 {
            var around = FieldWriter()
            around.append(.errorName, "Around")
            let inner = bytes
            around.append(.errorCause) { parts in
                for byte in inner {
                    parts.append(byte)
                }
            }
            bytes = around.bytes
        }
        let failure = try #require(try Failure(fields: FieldReader(bytes)))
        #expect(failure.causes == [Failure(name: EventName("Around"))])
    }

    @Test func `a hundred thousand causes are read in order`() throws {
        var fields = FieldWriter()
        fields.append(.errorName, "Outermost")
        for number in 0..<100_000 {
            fields.append(.errorCause, nested: { $0.append(.errorName, "Cause\(number)") })
        }
        let failure = try #require(try Failure(fields: FieldReader(fields.bytes)))
        #expect(failure.name == EventName("Outermost"))
        #expect(failure.cause?.name == EventName("Cause0"))
        let number = try #require(failure.causes.indices.last)
        #expect(failure.causes[number].name == EventName(stringLiteral: "Cause\(number)"))
    }

    @Test func `the cause of an error has the remaining causes`() {
        let first = Failure(name: EventName("First"))
        let second = Failure(name: EventName("Second"), causes: [first])
        let third = Failure(
            name: EventName("Third"),
            causes: [Failure(name: EventName("Second")), first])
        #expect(third.cause == second)
        #expect(third.cause?.cause == first)
        #expect(first.cause == nil)
    }

    /// The fields of an error with one cause.
    private func error(_ writeCause: (inout FieldWriter) -> Void) -> FieldReader {
        var fields = FieldWriter()
        fields.append(.errorName, "OutOfPlates")
        fields.append(.errorCause, nested: writeCause)
        return FieldReader(fields.bytes)
    }
}
