// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// The bytes of the protocol must not change by accident: Protocol.md shows them, and
/// implementations in other languages are written from it.
@Suite struct GoldenBytesTests {
    @Test(arguments: Fixture.all)
    func `a value is encoded as the bytes that Protocol.md shows`(_ fixture: Fixture) throws {
        let shown = try #require(ProtocolDocument.current().examples[fixture.name])
        #expect(fixture.encoded == shown)
    }

    @Test(arguments: Fixture.all)
    func `the bytes that Protocol.md shows are decoded to the value`(_ fixture: Fixture) throws {
        try fixture.expectValue(#require(ProtocolDocument.current().examples[fixture.name]))
    }

    @Test func `every command has a fixture`() throws {
        let commands = try Set(Fixture.all.map { try Header(parsing: $0.encoded).command })
        #expect(commands == Set(Command.allCases))
    }

    @Test func `Protocol.md shows only the bytes of the fixtures`() throws {
        let shown = try ProtocolDocument.current().examples.keys.sorted()
        #expect(shown == Fixture.all.map(\.name).sorted())
    }

    @Test(arguments: Command.allCases)
    func `Protocol.md lists a command with its number`(_ command: Command) throws {
        let text = try ProtocolDocument.current().text
        #expect(text.contains("| \(command.rawValue) | \(command) |"))
        #expect(text.contains("\n### \(command)\n"))
    }

    @Test(arguments: FieldTag.allCases)
    func `Protocol.md lists a field with its tag`(_ tag: FieldTag) throws {
        #expect(try ProtocolDocument.current().text.contains("\n| \(tag.rawValue) | `\(tag)` |"))
    }

    @Test(arguments: ErrorCode.allCases)
    func `Protocol.md lists an error with its number`(_ code: ErrorCode) throws {
        #expect(try ProtocolDocument.current().text.contains("\n| \(code.rawValue) | `\(code)` |"))
    }
}
