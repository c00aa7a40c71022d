// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZeroMQ

/// Small frames live inside the slot, large ones outside of it: each behaviour is tested for both.
@Suite struct MessageStoreTests {
    /// Two PAIR sockets inside the process: the receiver holds the sender's frames unread.
    private struct Link: ~Copyable {
        let sender: Socket
        let receiver: Socket

        init() throws {
            let context = try Context()
            let receiver = try Socket.make(.pair, in: context)
            try receiver.bind("inproc://store")
            let sender = try Socket.make(.pair, in: context)
            try sender.connect("inproc://store")
            self.receiver = receiver
            self.sender = sender
        }
    }

    @Test(arguments: [5, 5_000]) func `adopting empties the message`(byteCount: Int) {
        let text = String(repeating: "x", count: byteCount)
        var store = MessageStore()
        var message = Message(text: text)
        let slot = store.adopt(&message)
        let remaining = message.byteCount
        #expect(remaining == 0)
        #expect(store.text(slot) == text)
        let count = store.count
        #expect(count == 1)
        store.release(slot)
        let countAfterRelease = store.count
        #expect(countAfterRelease == 0)
    }

    @Test(arguments: [5, 5_000]) func `a shared send keeps the message`(byteCount: Int) throws {
        let text = String(repeating: "x", count: byteCount)
        let link = try Link()
        var store = MessageStore()
        var message = Message(text: text)
        for _ in 0..<3 {
            #expect(try store.sendMoving(store.share(&message), through: link.sender) == .sent)
        }
        for _ in 0..<3 { #expect(try link.receiver.nextText() == text) }
        let kept = String(decoding: message.bytes, as: UTF8.self)
        #expect(kept == text)
    }

    @Test(arguments: [5, 5_000]) func `a frame is moved back into a message`(byteCount: Int) {
        let text = String(repeating: "x", count: byteCount)
        var store = MessageStore()
        var message = Message(text: text)
        let slot = store.adopt(&message)
        store.move(slot, to: &message)
        let moved = String(decoding: message.bytes, as: UTF8.self)
        #expect(moved == text)
        let count = store.count
        #expect(count == 0)
    }

    @Test(arguments: [5, 5_000]) func `a moving send frees the slot`(byteCount: Int) throws {
        let text = String(repeating: "x", count: byteCount)
        let link = try Link()
        var store = MessageStore()
        var message = Message(text: text)
        let slot = store.adopt(&message)
        #expect(try store.sendMoving(slot, through: link.sender) == .sent)
        #expect(try link.receiver.nextText() == text)
        let count = store.count
        #expect(count == 0)
        message = Message(text: "next")
        #expect(store.adopt(&message) == slot)
    }

    @Test func `a refused send keeps the frame`() throws {
        let context = try Context()
        let unconnected = try Socket.make(.dealer, in: context)
        var store = MessageStore()
        var message = Message(text: "kept")
        let slot = store.adopt(&message)
        #expect(try store.sendMoving(slot, through: unconnected) == .wouldBlock)
        #expect(store.text(slot) == "kept")
    }

    @Test func `slots keep their addresses while the store grows`() {
        var store = MessageStore()
        var message = Message(text: "first")
        let first = store.adopt(&message)
        let address = store.bytes(first).baseAddress
        let others = (0..<1_000).map { index in
            message = Message(text: "frame \(index)")
            return store.adopt(&message)
        }
        #expect(store.bytes(first).baseAddress == address)
        #expect(Set(others).count == 1_000)
        #expect(store.text(others[999]) == "frame 999")
        let count = store.count
        #expect(count == 1_001)
    }
}

extension MessageStore {
    fileprivate func text(_ slot: UInt32) -> String { String(decoding: bytes(slot), as: UTF8.self) }
}
