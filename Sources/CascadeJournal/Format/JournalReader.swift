// SPDX-License-Identifier: Apache-2.0

/// Reads one file of the journal, whatever has become of it: what is right is found, what is wrong
/// is counted, and nothing is believed that its checksum does not bear out.
package struct JournalReader: Sendable {
    /// A frame, and where it stands.
    package struct Entry: Equatable, Sendable {
        package var frame: JournalFrame
        package var offset: Int
        package var byteCount: Int
    }

    /// In the order of the file, which is that of their numbers.
    package private(set) var entries: [Entry] = []
    /// Places where something was written once and cannot be read any more: a copy of the header, a
    /// frame that was written whole, or what stood between two frames.
    package private(set) var damagedCount = 0
    /// Bytes at the end that are no frames: what was being written when the end came.
    package private(set) var droppedByteCount = 0
    /// Whether it is a file of a journal at all.
    package private(set) var hasHeader = false
    /// Whether all that counted when the file was begun stands in it, so that no older file does.
    package private(set) var hasCheckpoint = false

    /// Throws only if the file was written by a release that does it otherwise.
    package init(_ bytes: [UInt8]) throws(JournalError) {
        let (found, isHeaderDamaged) = try SegmentHeader.find(in: bytes)
        damagedCount = isHeaderDamaged ? 1 : 0
        guard let header = found else {
            // The header is synced before anything else counts. Without it there is nothing.
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

    /// A checkpoint has the greatest number so far, any other frame a greater one.
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

    /// Whatever is no frame at the end was interrupted, unless it was written to its end once: then
    /// it had been accepted, perhaps, and is damage like any in the middle.
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
