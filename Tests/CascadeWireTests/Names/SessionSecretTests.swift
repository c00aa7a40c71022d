// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@Suite struct SessionSecretTests {
    private static let bytes = (0..<16).map { UInt8($0 * 0x11) }

    /// A decoded greeting with this secret.
    private static func hello(_ secret: [UInt8]) throws -> Hello {
        var fields = FieldWriter()
        Hello(session: SessionID(high: 1, low: 2), program: "test", processID: 1)
            .write(to: &fields)
        fields.append(.secret, octets: secret)
        return try Hello(header: Header(.hello), fields: FieldReader(fields.bytes))
    }

    // Verified with `printf '\x00\x11…\xff' | sha256sum`.
    @Test func `the public ID is the first half of the secret's SHA-256`() throws {
        let secret = try #require(try Self.hello(Self.bytes).secret)
        #expect(secret.sessionID.description == "a8faed6abbf35c12a4b26e40f6feb19d")
    }

    @Test(arguments: [0, 1, 15, 17, 32])
    func `a secret of another length makes the greeting malformed`(count: Int) throws {
        #expect {
            try Self.hello([UInt8](repeating: 1, count: count))
        } throws: { error in
            (error as? WireError)?.code == .malformed
        }
    }

    @Test func `a greeting may have no secret`() throws {
        var fields = FieldWriter()
        Hello(session: SessionID(high: 1, low: 2), program: "test", processID: 1)
            .write(to: &fields)
        let hello = try Hello(header: Header(.hello), fields: FieldReader(fields.bytes))
        #expect(hello.secret == nil)
    }

    @Test func `generated secrets differ`() {
        var generator = SystemRandomNumberGenerator()
        let ids = (0..<100).map { _ in SessionSecret(using: &generator).sessionID }
        #expect(Set(ids).count == 100)
    }
}
