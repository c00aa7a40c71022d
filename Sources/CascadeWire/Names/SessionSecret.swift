// SPDX-License-Identifier: Apache-2.0

import CSodium

/// The secret of a session: 128 random bits that prove who may speak for it. The public ID is a
/// digest of the secret, so that an ID that has been seen is of no use without it.
package struct SessionSecret: Equatable, Sendable {
    package static let byteCount = 16

    private let high, low: UInt64

    /// Draws a secret from `generator`, which has to be fit for secrets.
    package init(using generator: inout some RandomNumberGenerator) {
        high = generator.next()
        low = generator.next()
    }

    init(decoding field: FieldReader.Field) throws(WireError) {
        guard field.bytes.count == Self.byteCount else {
            throw WireError(
                "the secret of the session has \(field.bytes.count) bytes instead of "
                    + "\(Self.byteCount)")
        }
        high = UInt64(bigEndianBytes: field.bytes.prefix(8))
        low = UInt64(bigEndianBytes: field.bytes.suffix(8))
    }

    /// The public ID: the first 128 bits of the secret's SHA-256.
    package var sessionID: SessionID {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        let bytes = bytes
        _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return SessionID(
            high: UInt64(bigEndianBytes: digest[..<8]), low: UInt64(bigEndianBytes: digest[8..<16]))
    }

    /// The bytes as they travel.
    var bytes: [UInt8] {
        [high, low].flatMap { half in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) }
        }
    }
}

extension UInt64 {
    fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
