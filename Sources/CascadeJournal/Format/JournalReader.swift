// SPDX-License-Identifier: Apache-2.0

/// Reads one file of the journal, whatever has become of it: what is right is found, what is wrong
/// is counted, and nothing is believed that its checksum does not bear out.
package struct JournalReader: Sendable {
    /// A frame, and where it stands.
    package struct Entry: Equatable, Sendable {
        package var frame: JournalFrame
        package var offset: Int
    }

    /// In the order of the file, which is that of their numbers.
    package private(set) var entries: [Entry] = []
    /// Stretches that are no frames and have frames behind them: what stood there is lost.
    package private(set) var damagedCount = 0
    /// Bytes at the end that are no frames: what was being written when the end came.
    package private(set) var droppedByteCount = 0
    /// Whether it is a file of a journal at all.
    package private(set) var hasHeader = false

    /// Throws only if the file was written by a release that does it otherwise.
    package init(_ bytes: [UInt8]) throws(JournalError) {
        guard let header = try SegmentHeader(bytes[...]) else {
            // The header is synced before anything else is written. Without it there is nothing.
            droppedByteCount = bytes.count
            return
        }
        hasHeader = true
        var offset = SegmentHeader.byteCount
        var lastNumber: UInt64 = 0
        var end = offset
        var isDamaged = false
        while offset < bytes.count {
            let parsed = JournalFrame.parse(bytes[offset...], salt: header.salt)
            guard case .frame(let frame) = parsed, frame.number > lastNumber else {
                isDamaged = true
                if case .badBody(let byteCount) = parsed, byteCount <= bytes.count - offset {
                    offset += byteCount
                } else {
                    offset += JournalFrame.alignment
                }
                continue
            }
            damagedCount += isDamaged ? 1 : 0
            isDamaged = false
            entries.append(Entry(frame: frame, offset: offset))
            lastNumber = frame.number
            offset += frame.byteCount
            end = offset
        }
        droppedByteCount = bytes.count - end
    }
}
