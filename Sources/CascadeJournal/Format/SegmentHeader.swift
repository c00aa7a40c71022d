// SPDX-License-Identifier: Apache-2.0

/// The header of a journal file, which the file contains twice: a damaged sector affects one copy
/// only.
package struct SegmentHeader: Equatable, Sendable {
    /// The version of new files. Version 1, of release 0.1.0, has one copy of the header, no
    /// checkpoints, and other padding.
    package static let version: UInt32 = 2
    static let byteCount = 40
    /// The offset of the second copy, in another page than the first.
    static let copyOffset = 4_096
    private static let magic = Array("CSCDJRNL".utf8)

    package var number: UInt64
    /// Part of the checksum of each frame's header, so that bytes copied from elsewhere, for
    /// example in a payload, are not taken for a frame of this file.
    package var salt: UInt64
    package private(set) var version = Self.version

    package init(number: UInt64, salt: UInt64) {
        self.number = number
        self.salt = salt
    }

    /// The offset of the first frame.
    package var framesOffset: Int {
        version == 1 ? Self.byteCount : Self.copyOffset + Self.byteCount
    }

    /// Returns both copies, with zeros between them.
    package func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: salt)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: CRC32C.checksum(bytes))
        return bytes + [UInt8](repeating: 0, count: Self.copyOffset - bytes.count) + bytes
    }

    /// Returns the header from either copy, and whether a copy is damaged. A file whose creation
    /// was interrupted has zeros where nothing was written. Throws ``JournalError`` for a file of
    /// another version.
    static func find(
        in bytes: [UInt8]
    ) throws(JournalError) -> (header: SegmentHeader?, isDamaged: Bool) {
        let first = bytes[...].prefix(byteCount)
        let second = bytes[...].dropFirst(copyOffset).prefix(byteCount)
        if let header = try SegmentHeader(first) {
            guard header.version > 1 else {
                return (header, false)
            }
            let isCopyRight = try SegmentHeader(second) == header
            return (header, !isCopyRight && isWritten(second))
        }
        if let header = try SegmentHeader(second), header.version > 1 {
            return (header, isWritten(first))
        }
        return (nil, isWritten(first) || isWritten(second))
    }

    /// Returns whether a whole header was once written there.
    private static func isWritten(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == byteCount && bytes.contains { $0 != 0 }
    }

    /// Returns `nil` if the bytes are not a header. Throws ``JournalError`` for another version.
    private init?(_ bytes: ArraySlice<UInt8>) throws(JournalError) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else {
            return nil
        }
        let checked = bytes.prefix(Self.byteCount - 4)
        guard CRC32C.checksum(checked) == bytes.integer(at: Self.byteCount - 4) else {
            return nil
        }
        let version: UInt32 = bytes.integer(at: 8)
        guard (1...Self.version).contains(version) else {
            throw JournalError(
                "the journal has version \(version), and this release supports \(Self.version)")
        }
        self.init(number: bytes.integer(at: 16), salt: bytes.integer(at: 24))
        self.version = version
    }
}
