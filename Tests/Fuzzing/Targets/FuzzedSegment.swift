// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeWire

/// A file of the journal that is built of frames with valid checksums and then damaged, because random bytes
/// rarely pass a checksum.
struct FuzzedSegment {
    private(set) var bytes: [UInt8]
    /// The written frames, each with its end.
    private var written: [(frame: JournalFrame, end: Int)] = []
    /// The offset from which the bytes may be damaged.
    private var intactByteCount = Int.max
    private var lastNumber: UInt64 = 0

    /// A salt that no file of the corpus has, so that the corpus's bytes do not form valid frames here.
    private static let salt: UInt64 = 0x0123_4567_89AB_CDEF

    init(_ source: inout ByteSource) {
        bytes = SegmentHeader(number: 1, salt: Self.salt).encoded()
        while let action = source.byte() {
            switch action & 7 {
            case 0...3: append(source.block() ?? [], action, step: UInt64(source.byte() ?? 1))
            case 4: append(nil, action, step: 1)
            case 5: append([action], action, step: UInt64(source.byte() ?? 1) << 56)
            case 6: damage { $0 += source.block() ?? [] }
            default: flip(&source)
            }
        }
    }

    /// Appends a frame. Its number may be invalid, that is not greater than the previous one.
    private mutating func append(_ body: [UInt8]?, _ action: UInt8, step: UInt64) {
        let session = SessionID(high: 1, low: UInt64(action >> 6))
        let key = EventID(session: session, sequence: UInt64(action >> 3 & 7))
        let frame = JournalFrame(number: lastNumber &+ step, key: key, body: body)
        // A reader must reject a frame whose number is not greater than the previous one.
        if frame.number <= lastNumber || frame.number > JournalFrame.numberMax {
            intactByteCount = min(intactByteCount, bytes.count)
        } else {
            lastNumber = frame.number
        }
        bytes += frame.encoded(salt: Self.salt)
        written.append((frame, bytes.count))
    }

    /// Changes the bytes from the current end on.
    private mutating func damage(_ change: (inout [UInt8]) -> Void) {
        intactByteCount = min(intactByteCount, bytes.count)
        change(&bytes)
    }

    /// Flips bits of a byte.
    private mutating func flip(_ source: inout ByteSource) {
        let index = Int(source.byte() ?? 0) | Int(source.byte() ?? 0) << 8
        guard index < bytes.count else {
            return
        }
        intactByteCount = min(intactByteCount, index)
        bytes[index] ^= source.byte() ?? 1
    }

    /// The frames before the damage, which a reader must find first.
    var intactFrames: [JournalFrame] {
        written.prefix { $0.end <= intactByteCount }.map(\.frame)
    }

    func hasWritten(_ frame: JournalFrame) -> Bool {
        written.contains { $0.frame == frame }
    }
}
