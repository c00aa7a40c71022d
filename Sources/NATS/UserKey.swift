// SPDX-License-Identifier: Apache-2.0

import CSodium

/// The key pair of a NATS user, an Ed25519 pair in NATS' notation (nkeys): base 32 of a prefix, the key,
/// and the CRC-16 of both.
package struct UserKey: Sendable {
    /// The secret, 58 characters that begin with `SU`.
    package let seed: String
    /// The name of the user in the server's configuration, 56 characters that begin with `U`.
    package let publicKey: String

    private static let userPrefix: UInt8 = 20 << 3
    private static let keyByteCount = 32

    /// Creates the pair of 32 random bytes.
    package init(secret: [UInt8]) {
        precondition(secret.count == Self.keyByteCount, "a secret has 32 bytes")
        // A seed has the 5 bits of its prefix "S", and then the 8 bits of the prefix of its kind.
        seed = Self.encode([0x90 | Self.userPrefix >> 5, Self.userPrefix << 3] + secret)
        publicKey = Self.encode([Self.userPrefix] + Self.publicKey(of: secret))
    }

    /// Reads a seed. Returns `nil` if the text is not the seed of a user.
    package init?(seed text: String) {
        guard let bytes = Self.decode(text), bytes.count == 2 + Self.keyByteCount,
            bytes[0] == 0x90 | Self.userPrefix >> 5, bytes[1] == Self.userPrefix << 3
        else {
            return nil
        }
        self.init(secret: Array(bytes.dropFirst(2)))
    }

    /// Whether a text is the public key of a user.
    package static func isPublicKey(_ text: String) -> Bool {
        guard let bytes = decode(text) else {
            return false
        }
        return bytes.count == 1 + keyByteCount && bytes[0] == userPrefix
    }

    private static func publicKey(of secret: [UInt8]) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: keyByteCount)
        var expanded = [UInt8](repeating: 0, count: 64)
        crypto_sign_ed25519_seed_keypair(&key, &expanded, secret)
        return key
    }

    // MARK: - Notation

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    private static func encode(_ bytes: [UInt8]) -> String {
        let check = checksum(bytes)
        var text: [UInt8] = []
        var buffer = 0
        var bitCount = 0
        for byte in bytes + [UInt8(check & 0xFF), UInt8(check >> 8)] {
            buffer = (buffer << 8 | Int(byte)) & 0xFFFF
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(alphabet[buffer >> bitCount & 31])
            }
        }
        if bitCount > 0 {
            text.append(alphabet[buffer << (5 - bitCount) & 31])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes before the checksum; `nil` if the text is not base 32 with a right checksum.
    private static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = 0
        var bitCount = 0
        guard text.utf8.count <= 64 else {
            return nil
        }
        for character in text.utf8 {
            guard let digit = alphabet.firstIndex(of: character) else {
                return nil
            }
            buffer = (buffer << 5 | digit) & 0xFFFF
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bitCount))
            }
        }
        guard bytes.count > 2, bitCount < 5, encode(Array(bytes.dropLast(2))) == text else {
            return nil
        }
        return Array(bytes.dropLast(2))
    }

    /// CRC-16 with the polynomial 0x1021 (XMODEM).
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt16(byte) << 8) { checksum, _ in
                checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021
            }
        }
    }
}
