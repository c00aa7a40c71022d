// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// A pair of CURVE keys, as Z85 text.
package struct CurveKeyPair: Sendable {
    package let publicKey: String
    package let secretKey: String

    /// The length of a key as text, in characters.
    package static let keyLength = 40

    /// Generates a new pair. Throws `ZeroMQError` if libzmq has no CURVE support.
    package init() throws(ZeroMQError) {
        var publicKey = [CChar](repeating: 0, count: Self.keyLength + 1)
        var secretKey = [CChar](repeating: 0, count: Self.keyLength + 1)
        guard zmq_curve_keypair(&publicKey, &secretKey) == 0 else {
            throw ZeroMQError(during: "generate a pair of keys")
        }
        self.publicKey = Self.text(publicKey)
        self.secretKey = Self.text(secretKey)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns whether a text has the form of a key.
    package static func isKey(_ text: some StringProtocol) -> Bool {
        text.utf8.count == keyLength && Z85.bytes(text) != nil
    }

    // MARK: - Files

    /// Parses the text of a key file in the form of ``fileText``; `nil` unless it has exactly one pair.
    package init?(fileText: String) {
        let lines = fileText.split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace) }
        func key(_ name: String) -> String? {
            let keys = lines.filter { $0.count == 2 && $0[0] == name }
            return keys.count == 1 && Self.isKey(keys[0][1]) ? String(keys[0][1]) : nil
        }
        guard let publicKey = key("public"), let secretKey = key("secret") else {
            return nil
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The pair as the text of a key file.
    package var fileText: String {
        "public \(publicKey)\nsecret \(secretKey)\n"
    }
}

/// The encoding Z85 of bytes as text (ZeroMQ's RFC 32): five characters for four bytes.
package enum Z85 {
    /// Encodes bytes. Returns `nil` unless their number is a multiple of four.
    package static func text(_ bytes: [UInt8]) -> String? {
        var characters = [CChar](repeating: 0, count: bytes.count / 4 * 5 + 1)
        guard zmq_z85_encode(&characters, bytes, bytes.count) != nil else {
            return nil
        }
        return String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Decodes a text. Returns `nil` if it is not Z85.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(0) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 5 * 4)
        return zmq_z85_decode(&bytes, String(text)) == nil ? nil : bytes
    }
}
