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
        noteTail(bytes[end...], hasWholeDamage, header)
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
    private mutating func noteTail(
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
