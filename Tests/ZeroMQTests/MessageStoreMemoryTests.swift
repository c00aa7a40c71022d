// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZeroMQ

/// The memory of a store after its frames are released, and the counting of frames' bytes.
@Suite struct MessageStoreMemoryTests {
    @Test func `trimming frees the chunks without frames and keeps the other frames`() {
        var store = MessageStore()
        let slots = (0..<10_000).map { _ in store.allocate(byteCount: 4) }
        store.bytes(slots[5_000]).copyBytes(from: [1, 2, 3, 4])
        for slot in slots where slot != slots[5_000] {
            store.release(slot)
        }
        let before = store.capacity
        store.trim()
        let after = store.capacity
        #expect(before >= 10_000)
        #expect(after == Int(MessageStore.chunkSize))
        #expect(Array(store.bytes(slots[5_000])) == [1, 2, 3, 4])
        // Freed slots are used again, and no slot twice.
        let again = (0..<10_000).map { _ in store.allocate(byteCount: 4) }
        #expect(Set(again + [slots[5_000]]).count == 10_001)
        let count = store.count
        #expect(count == 10_001)
    }

    @Test func `the bytes of a frame are counted until its last reference is released`() throws {
        let total = ByteCounter()
        let counter = ByteCounter(in: total)
        let context = try Context()
        let receiver = try Socket.make(.pair, in: context)
        try receiver.bind("inproc://counted")
        let sender = try Socket.make(.pair, in: context)
        try sender.connect("inproc://counted")
        var store = MessageStore()
        let first = store.allocate(byteCount: 5_000, countedBy: counter)
        var kept = Message()
        store.move(first, to: &kept)
        let shared = store.share(&kept)
        store.release(shared)
        let slot = store.adopt(&kept)
        #expect(counter.byteCount == 5_000 && total.byteCount == 5_000)
        #expect(try store.sendMoving(slot, through: sender) == .sent)
        #expect(counter.byteCount == 5_000)
        var message = Message()
        while try !receiver.receive(into: &message) {}
        let byteCount = message.byteCount
        #expect(byteCount == 5_000 && counter.byteCount == 5_000)
        message.reset(byteCount: 0)
        #expect(counter.byteCount == 0 && total.byteCount == 0)
    }
}
