// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeWire

/// A file of the journal that is built frame by frame with valid checksums and then damaged:
/// random bytes hardly ever pass a checksum.
struct FuzzedSegment {
    private(set) var bytes: [UInt8]
    /// The written frames, each with its end.
    private var written: [(frame: JournalFrame, end: Int)] = []
    /// The offset from which the bytes may be anything.
    private var intactByteCount = Int.max
    private var lastNumber: UInt64 = 0

    /// Different from that of any file in the corpus, whose bytes may become noise.
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

    /// Numbers that do not always increase.
    private mutating func append(_ body: [UInt8]?, _ action: UInt8, step: UInt64) {
        let session = SessionID(high: 1, low: UInt64(action >> 6))
        let key = EventID(session: session, sequence: UInt64(action >> 3 & 7))
        let frame = JournalFrame(number: lastNumber &+ step, key: key, body: body)
        // A journal gives each frame a greater number.
        if frame.number <= lastNumber || frame.number > JournalFrame.numberMax {
            intactByteCount = min(intactByteCount, bytes.count)
        } else {
            lastNumber = frame.number
        }
        bytes += frame.encoded(salt: Self.salt)
        written.append((frame, bytes.count))
    }

    private mutating func damage(_ change: (inout [UInt8]) -> Void) {
        intactByteCount = min(intactByteCount, bytes.count)
        change(&bytes)
    }

    private mutating func flip(_ source: inout ByteSource) {
        let place = Int(source.byte() ?? 0) | Int(source.byte() ?? 0) << 8
        guard place < bytes.count else {
            return
        }
        intactByteCount = min(intactByteCount, place)
        bytes[place] ^= source.byte() ?? 1
    }

    /// The frames that a reader must find first.
    var intactFrames: [JournalFrame] {
        written.prefix { $0.end <= intactByteCount }.map(\.frame)
    }

    func hasWritten(_ frame: JournalFrame) -> Bool {
        written.contains { $0.frame == frame }
    }
}
