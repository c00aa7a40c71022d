// SPDX-License-Identifier: Apache-2.0

import CSodium

/// A short hash of a text.
enum Fingerprint {
    private static let byteCount = 16

    /// Returns the first half of the SHA-256 of a text, in hexadecimal digits.
    static func of(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        return hash.prefix(byteCount).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
