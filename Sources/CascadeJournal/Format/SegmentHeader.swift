// SPDX-License-Identifier: Apache-2.0

/// What a file of the journal begins with.
package struct SegmentHeader: Equatable, Sendable {
    static let byteCount = 40
    static let version: UInt32 = 1
    private static let magic = Array("CSCDJRNL".utf8)

    package var number: UInt64
    /// Goes into the checksum of each frame's header, so that nothing that was copied from
    /// elsewhere, in a payload say, is taken for a frame of this file.
    package var salt: UInt64

    package init(number: UInt64, salt: UInt64) {
        self.number = number
        self.salt = salt
    }

    package func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: salt)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: CRC32C.checksum(bytes))
        return bytes
    }

    /// `nil` if the bytes begin with no such header. Throws for one of another version.
    init?(_ bytes: ArraySlice<UInt8>) throws(JournalError) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else {
            return nil
        }
        let checked = bytes.prefix(Self.byteCount - 4)
        guard CRC32C.checksum(checked) == bytes.integer(at: Self.byteCount - 4) else {
            return nil
        }
        let version: UInt32 = bytes.integer(at: 8)
        guard version == Self.version else {
            throw JournalError(
                "the journal has version \(version), and this release knows \(Self.version)")
        }
        self.init(number: bytes.integer(at: 16), salt: bytes.integer(at: 24))
    }
}
