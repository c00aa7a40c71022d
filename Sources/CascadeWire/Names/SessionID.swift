// SPDX-License-Identifier: Apache-2.0

import CSodium

/// The identity of a session: 128 bits that the process which opens it derives from its secret or
/// draws at random.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The upper and the lower 64 bits.
    package let high, low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws an ID from `generator`.
    package init(using generator: inout some RandomNumberGenerator) {
        high = generator.next()
        low = generator.next()
    }

    /// `nil` unless `text` is the 32 hexadecimal digits of ``description``.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else {
            return nil
        }
        self.init(high: high, low: low)
        guard description == text else {
            return nil
        }
    }

    /// 32 hexadecimal digits, in lower case.
    public var description: String {
        Self.digits(high) + Self.digits(low)
    }

    private static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// The identity of a session in the daemon: its public ID, and whether the session has proved by its
/// secret that the ID is its own.
///
/// Any peer may claim any ID. A session that has proved its ID and one that has not are therefore
/// different sessions, even if their IDs are equal.
package struct SessionIdentity: Hashable, Sendable {
    package var id: SessionID
    package var isProven: Bool

    package init(_ id: SessionID, isProven: Bool) {
        self.id = id
        self.isProven = isProven
    }

    /// The daemon's own session, which no peer may use.
    package static let daemon = SessionIdentity(SessionID(high: 0, low: 0), isProven: true)
}

// MARK: - Secret

/// The secret of a session: 128 random bits that authenticate its peer. The public ID is a digest of
/// the secret, so the ID alone does not give access to the session.
package struct SessionSecret: Equatable, Sendable {
    package static let byteCount = 16

    private let high, low: UInt64

    /// Draws a secret from `generator`, which must be cryptographically secure.
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

    /// The bytes in the greeting: both halves, big-endian.
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
