// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The last part of a recording, in memory and bounded in bytes.
struct MemoryRecording: GrowingRecording {
    /// The limit of the bytes of all blocks. The oldest goes first.
    let byteCountMax: Int
    let mayBeDamaged = false
    private(set) var index = RecordingIndex()
    private(set) var byteCount = 0
    private var blocks: [[UInt8]] = []

    init(byteCountMax: Int = 33_554_432) {
        self.byteCountMax = byteCountMax
    }

    mutating func append(_ piece: Recorder.Piece) -> Bool {
        guard piece.beginsBlock || !blocks.isEmpty else {
            return false
        }
        while byteCount + piece.bytes.count > byteCountMax, let oldest = blocks.first {
            if blocks.count == 1, !piece.beginsBlock {
                // A difference holds for nothing without the keyframe before it.
                return false
            }
            byteCount -= oldest.count
            blocks.removeFirst()
            index.removeFirst(1)
        }
        guard piece.bytes.count <= byteCountMax else {
            return true
        }
        if piece.beginsBlock {
            blocks.append([])
            // The room of a block is known, so that none takes twice its bytes.
            blocks[blocks.count - 1].reserveCapacity(
                piece.bytes.count + max(Recorder.blockByteCount, piece.bytes.count))
            index.beginBlock(at: piece.when)
        }
        blocks[blocks.count - 1] += piece.bytes
        byteCount += piece.bytes.count
        for line in piece.lines {
            index.record(line)
        }
        return true
    }

    func readBlock(_ number: Int, _ body: (RecordedLine) -> Bool) {
        blocks[number].forEachRecordedLine(body)
    }
}
