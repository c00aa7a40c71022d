// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A reader of one journal file in any condition. It returns every valid frame, counts damage, and
/// relies only on bytes that a checksum covers.
package struct JournalReader: Sendable {
    /// A frame and its location in the file.
    package struct Entry: Equatable, Sendable {
        package var frame: JournalFrame
        package var offset: Int
        package var byteCount: Int
    }

    /// The frames in the order of the file, which is the order of their numbers.
    package private(set) var entries: [Entry] = []
    /// The number of damaged parts of the file, which were once written completely and are unreadable: a
    /// copy of the header, a frame, or bytes between two frames.
    package private(set) var damagedCount = 0
    /// The number of bytes of an interrupted write at the end.
    package private(set) var droppedByteCount = 0
    /// Whether the file has a valid header of a journal.
    package private(set) var hasHeader = false
    /// Whether the file has a checkpoint, so that it contains all live records and older files are
    /// obsolete.
    package private(set) var hasCheckpoint = false

    /// Reads a whole file. Throws ``JournalError`` only if a release with another format wrote it.
    package init(_ bytes: [UInt8]) throws(JournalError) {
        let (found, isHeaderDamaged) = try SegmentHeader.find(in: bytes)
        damagedCount = isHeaderDamaged ? 1 : 0
        guard let header = found else {
            // The header is synced before any frame. Without it, the earlier files still contain all
            // records.
            droppedByteCount = bytes.count
            return
        }
        hasHeader = true
        var offset = min(header.framesOffset, bytes.count)
        var end = offset
        var isDamaged = false
        var hasDamagedFrame = false
        while offset < bytes.count {
            let parsed = JournalFrame.parse(bytes[offset...], in: header)
            if case .frame(let frame, let byteCount) = parsed, isNext(frame) {
                damagedCount += isDamaged ? 1 : 0
                (isDamaged, hasDamagedFrame) = (false, false)
                append(Entry(frame: frame, offset: offset, byteCount: byteCount))
                offset += byteCount
                end = offset
                continue
            }
            isDamaged = true
            if case .badBody(let byteCount, let isComplete) = parsed,
                byteCount <= bytes.count - offset
            {
                hasDamagedFrame = hasDamagedFrame || isComplete
                offset += byteCount
            } else {
                offset += JournalFrame.alignment
            }
        }
        countTail(bytes[end...], hasDamagedFrame, header)
    }

    /// Returns whether the frame's number is valid here: the number of a checkpoint is at least the
    /// greatest number so far, and that of any other frame exceeds it.
    private func isNext(_ frame: JournalFrame) -> Bool {
        let last = entries.last?.frame.number ?? 0
        return frame.isCheckpoint ? frame.number >= last : frame.number > last
    }

    private mutating func append(_ entry: Entry) {
        if entry.frame.isCheckpoint {
            hasCheckpoint = true
            checkpointNumber = entry.frame.number
        } else {
            entries.append(entry)
        }
    }

    /// Counts the bytes after the last frame: as dropped if their write was interrupted, and as damage if
    /// it was completed, because the daemon may have accepted the record.
    private mutating func countTail(
        _ tail: ArraySlice<UInt8>, _ hasDamagedFrame: Bool, _ header: SegmentHeader
    ) {
        let isWritten = header.version > 1 && JournalFrame.isCompletelyWritten(tail, in: header)
        if hasDamagedFrame || isWritten {
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

/// The header of a journal file. The file contains it twice, so that a damaged sector affects only one
/// copy.
package struct SegmentHeader: Equatable, Sendable {
    /// The version of new files. Version 1, of release 0.1.0, has one copy of the header, no
    /// checkpoints, and other padding.
    package static let version: UInt32 = 2
    static let byteCount = 40
    /// The offset of the second copy, which is in another page than the first.
    static let copyOffset = 4_096
    private static let magic = Array("CSCDJRNL".utf8)

    package var number: UInt64
    /// A random number that is part of the checksum of each frame's header. With it, a reader rejects
    /// frames that were copied from elsewhere, for example inside a payload.
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

    /// Returns the beginning of a file: both copies of the header, with zeros between them.
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

    /// Returns the header from either copy, and whether a copy is damaged. Zeros are not damage: the
    /// creation of the file was interrupted. Throws ``JournalError`` for a file of another version.
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

    /// Returns whether a header was once written to these bytes.
    private static func isWritten(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == byteCount && bytes.contains { $0 != 0 }
    }

    /// Reads one copy; `nil` if the bytes are not a header. Throws ``JournalError`` for another version.
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
                "the journal has version \(version), but this release supports versions up to "
                    + "\(Self.version)")
        }
        self.init(number: bytes.integer(at: 16), salt: bytes.integer(at: 24))
        self.version = version
    }
}
