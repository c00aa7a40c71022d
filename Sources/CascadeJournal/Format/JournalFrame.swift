// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// One record of the journal, or the word that there is none any more, as it stands in a file:
/// a header of 56 bytes, the body, and zeros up to a multiple of eight.
package struct JournalFrame: Equatable, Sendable {
    /// The greatest number of a frame, and of a file. No journal gets so far; one that says it has
    /// cannot be written, but does no other harm.
    package static let numberMax: UInt64 = 1 << 62
    static let headerByteCount = 56
    static let alignment = 8
    private static let marker: UInt32 = 0x4C4E_524A

    private enum Kind {
        static let put: UInt8 = 1
        static let remove: UInt8 = 2
    }

    /// Grows from frame to frame, across all files.
    package var number: UInt64
    package var key: EventID
    /// `nil` where the key has no record any more.
    package var body: [UInt8]?

    package init(number: UInt64, key: EventID, body: [UInt8]?) {
        self.number = number
        self.key = key
        self.body = body
    }

    /// How long it is in the file.
    package var byteCount: Int {
        Self.byteCount(body: body?.count ?? 0)
    }

    private static func byteCount(body: Int) -> Int {
        headerByteCount + (body + alignment - 1) / alignment * alignment
    }

    package func encoded(salt: UInt64) -> [UInt8] {
        let body = body ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(littleEndian: Self.marker)
        bytes.append(littleEndian: UInt32(body.count))
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: key.session.high)
        bytes.append(littleEndian: key.session.low)
        bytes.append(littleEndian: key.sequence)
        bytes.append(littleEndian: UInt32(self.body == nil ? Kind.remove : Kind.put))
        bytes.append(littleEndian: CRC32C.checksum(body))
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: Self.checksum(bytes[...], salt))
        bytes += body
        bytes += repeatElement(0, count: byteCount - bytes.count)
        return bytes
    }

    private static func checksum(_ header: ArraySlice<UInt8>, _ salt: UInt64) -> UInt32 {
        var salted: [UInt8] = []
        salted.append(littleEndian: salt)
        var checksum = CRC32C()
        checksum.update(salted)
        checksum.update(header)
        return checksum.value
    }

    /// What stands at the beginning of some bytes of a file.
    enum Parsed: Equatable {
        case frame(JournalFrame)
        /// The header is right, so that the length is to be believed; the body is not.
        case badBody(byteCount: Int)
        case none
    }

    static func parse(_ bytes: ArraySlice<UInt8>, salt: UInt64) -> Parsed {
        guard bytes.count >= headerByteCount, bytes.integer(at: 0) == marker,
            bytes.integer(at: 52) == checksum(bytes.prefix(52), salt)
        else {
            return .none
        }
        let bodyByteCount = Int(bytes.integer(at: 4, UInt32.self))
        let byteCount = byteCount(body: bodyByteCount)
        let kind: UInt32 = bytes.integer(at: 40)
        let number: UInt64 = bytes.integer(at: 8)
        guard bytes.count >= byteCount, number <= numberMax,
            kind == Kind.put || kind == Kind.remove
        else {
            return .badBody(byteCount: byteCount)
        }
        let body = bytes.dropFirst(headerByteCount).prefix(bodyByteCount)
        guard CRC32C.checksum(body) == bytes.integer(at: 44) else {
            return .badBody(byteCount: byteCount)
        }
        let session = SessionID(high: bytes.integer(at: 16), low: bytes.integer(at: 24))
        return .frame(
            JournalFrame(
                number: number,
                key: EventID(session: session, sequence: bytes.integer(at: 32)),
                body: kind == Kind.put ? Array(body) : nil))
    }
}
