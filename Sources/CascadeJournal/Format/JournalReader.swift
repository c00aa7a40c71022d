// SPDX-License-Identifier: Apache-2.0

/// A reader of one journal file in any condition: it returns every valid frame, counts damage, and
/// trusts only what a checksum covers.
package struct JournalReader: Sendable {
    /// A frame and its position.
    package struct Entry: Equatable, Sendable {
        package var frame: JournalFrame
        package var offset: Int
        package var byteCount: Int
    }

    /// The frames in the order of the file, which is that of their numbers.
    package private(set) var entries: [Entry] = []
    /// The number of places that were written once and are unreadable: a copy of the header, a
    /// frame that was written whole, or bytes between two frames.
    package private(set) var damagedCount = 0
    /// The number of bytes at the end that are not frames, from an interrupted write.
    package private(set) var droppedByteCount = 0
    /// Whether the file is a journal file.
    package private(set) var hasHeader = false
    /// Whether the file has a checkpoint, so that it contains all live records and older files are
    /// obsolete.
    package private(set) var hasCheckpoint = false

    /// Throws ``JournalError`` only if a release with another format wrote the file.
    package init(_ bytes: [UInt8]) throws(JournalError) {
        let (found, isHeaderDamaged) = try SegmentHeader.find(in: bytes)
        damagedCount = isHeaderDamaged ? 1 : 0
        guard let header = found else {
            // The header is synced before any frame is accepted. Without it, the earlier files
            // still contain all records.
            droppedByteCount = bytes.count
            return
        }
        hasHeader = true
        var offset = min(header.framesOffset, bytes.count)
        var end = offset
        var isDamaged = false
        var hasWholeDamage = false
        while offset < bytes.count {
            let parsed = JournalFrame.parse(bytes[offset...], in: header)
            if case .frame(let frame, let byteCount) = parsed, isNext(frame) {
                damagedCount += isDamaged ? 1 : 0
                (isDamaged, hasWholeDamage) = (false, false)
                take(Entry(frame: frame, offset: offset, byteCount: byteCount))
                offset += byteCount
                end = offset
                continue
            }
            isDamaged = true
            if case .badBody(let byteCount, let isWhole) = parsed,
                byteCount <= bytes.count - offset
            {
                hasWholeDamage = hasWholeDamage || isWhole
                offset += byteCount
            } else {
                offset += JournalFrame.alignment
            }
        }
        recordTail(bytes[end...], hasWholeDamage, header)
    }

    /// Returns whether the number fits: a checkpoint repeats the greatest number so far, any other
    /// frame exceeds it.
    private func isNext(_ frame: JournalFrame) -> Bool {
        let last = entries.last?.frame.number ?? 0
        return frame.isCheckpoint ? frame.number >= last : frame.number > last
    }

    private mutating func take(_ entry: Entry) {
        if entry.frame.isCheckpoint {
            hasCheckpoint = true
            checkpointNumber = entry.frame.number
        } else {
            entries.append(entry)
        }
    }

    /// Counts the bytes at the end that are not frames: as dropped if the write was interrupted, or
    /// as damage if it was completed, because the record may have been accepted.
    private mutating func recordTail(
        _ tail: ArraySlice<UInt8>, _ hasWholeDamage: Bool, _ header: SegmentHeader
    ) {
        let isWritten = header.version > 1 && JournalFrame.endsWhole(tail, in: header)
        if hasWholeDamage || isWritten {
            damagedCount += 1
        } else {
            droppedByteCount = tail.count
        }
    }

    /// The greatest number in the file.
    package var lastNumber: UInt64 {
        max(entries.last?.frame.number ?? 0, checkpointNumber)
    }

    private var checkpointNumber: UInt64 = 0
}

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
