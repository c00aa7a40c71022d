// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire
import Testing

/// The key that the gate writes into greetings.
@Suite struct GreetingTests {
    private static let hello = Hello(
        session: SessionID(high: 1, low: 2), program: "cascade-site", processID: 7)
    /// The greeting with the child's name as its key.
    private static let keyed = {
        var keyed = hello
        keyed.policyKey = "ulm"
        return keyed
    }()

    /// What the bus gets of a child's frame; `nil` if the frame ends the link.
    private func passed(_ frame: [UInt8]) throws -> [UInt8]? {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.connect(1)
        world.receive(GateWorld.message(1, frame), on: .link(LinkID(1)))
        return world.gate.openLinks.isEmpty ? nil : world.delivered.first
    }

    private func message(_ fields: FieldWriter, command: Command = .hello) -> [UInt8] {
        Header(command, fieldsLength: UInt32(fields.bytes.count)).encoded() + fields.bytes
    }

    private func keys(_ message: [UInt8]) throws -> [String] {
        var fields = try Header(parsing: message).fields(of: message)
        var keys: [String] = []
        while let field = try fields.next() {
            if field.tag == .policyKey {
                keys.append(try field.text())
            }
        }
        return keys
    }

    @Test func `a greeting gets the child's name as its key, and is else unchanged`() throws {
        let greeting = try #require(try passed(Self.hello.encoded()))
        #expect(try keys(greeting) == ["ulm"])
        #expect(try Hello(parsing: greeting) == Self.keyed)
        let before = Self.hello.encoded()
        #expect(greeting[Header.byteCount...].starts(with: before[Header.byteCount...]))
    }

    @Test func `keys of the child are removed, wherever they are`() throws {
        var fields = FieldWriter()
        fields.append(.policyKey, "root")
        Self.hello.write(to: &fields)
        fields.append(.policyKey, "bonn")
        fields.append(.policyKey, octets: [0xFF])
        let greeting = try #require(try passed(message(fields)))
        #expect(try keys(greeting) == ["ulm"])
        #expect(try Hello(parsing: greeting) == Self.keyed)
    }

    @Test func `fields that the gate does not know are kept`() throws {
        let unknown: [UInt8] = [0xFF, 0x7F, 2, 0, 0, 0, 5, 6]
        let header = Header(.hello, fieldsLength: UInt32(unknown.count))
        let greeting = try #require(try passed(header.encoded() + unknown))
        #expect(greeting[Header.byteCount...].starts(with: unknown))
    }

    @Test func `other frames pass as they are`() throws {
        var fields = FieldWriter()
        fields.append(.policyKey, "root")
        let query = message(fields, command: .query)
        #expect(try passed(query) == query)
        #expect(try passed([]) == [])
        #expect(try passed([0xFF]) == [0xFF])
    }

    @Test func `a malformed greeting ends the link`() throws {
        let hello = Self.hello.encoded()
        var longer = Header(.hello, fieldsLength: 4).encoded()
        longer += [1, 0, 9, 0]
        var beyond = Header(.hello, fieldsLength: 8).encoded()
        beyond += [1, 0, 3, 0, 0, 0, 1, 2]
        for frame in [
            [1], Array(hello.prefix(40)), Array(hello.dropLast()), longer, beyond, hello + [0],
        ] {
            #expect(try passed(frame) == nil, "\(frame.count) bytes")
        }
    }

    @Test func `no damaged greeting reaches the bus with another key`() throws {
        var generator = SeededGenerator(seed: 1)
        var fields = FieldWriter()
        Self.hello.write(to: &fields)
        fields.append(.policyKey, "root")
        let greeting = message(fields)
        var passedCount = 0
        for _ in 0..<2_000 {
            var bytes = greeting
            for _ in 0..<1 + generator.below(3) {
                bytes[generator.below(bytes.count)] = generator.pick([0, 1, 2, 132, 6, 0xFF])
            }
            guard let frame = try passed(bytes), frame.first == Command.hello.rawValue else {
                continue
            }
            passedCount += 1
            #expect(try keys(frame) == ["ulm"])
        }
        #expect(passedCount > 100)
    }
}
