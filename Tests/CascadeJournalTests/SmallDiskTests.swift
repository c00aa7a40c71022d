// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeTestSupport
import CascadeWire
import Testing

/// A journal whose live records take a sixth of its disk, as much as the broker accepts.
@Suite struct SmallDiskTests {
    @Test(arguments: [256 << 10, 1 << 20, 5 << 20])
    func `records that take no more than a sixth of the disk always find room`(
        byteCount: Int
    ) throws {
        var folder = SimulatedFolder()
        folder.totalByteCount = byteCount
        folder.disk.capacity = byteCount
        var journal = Journal(disk: folder) { 7 }
        #expect(try journal.open().fault == nil)
        #expect(journal.diskByteCount == byteCount)
        var generator = SeededGenerator(seed: UInt64(byteCount))
        let size = max(1_000, byteCount / 600)
        var keys: [UInt64] = []
        var last: UInt64 = 0
        // Three times the disk in all.
        for _ in 0..<(3 * byteCount / size) {
            if (keys.count + 1) * size > byteCount / 6 {
                keys.swapAt(
                    Int.random(in: keys.indices, using: &generator),
                    keys.index(before: keys.endIndex))
                try journal.write([
                    JournalChange(key: EventID(journal: keys.removeLast()), body: nil)
                ])
            }
            last += 1
            keys.append(last)
            let body = [UInt8](repeating: 1, count: size)
            try journal.write([JournalChange(key: EventID(journal: last), body: body)])
            #expect(journal.reserveFault == nil)
        }
    }
}
