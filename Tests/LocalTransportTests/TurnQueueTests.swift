// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LocalTransport

@Suite struct TurnQueueTests {
    @Test func `users take turns, and so do the elements of each user`() {
        var queue = TurnQueue<UInt32, Int>()
        for element in 1...4 {
            queue.append(element, of: 100)
        }
        queue.append(20, of: 200)
        queue.append(30, of: 300)
        queue.append(21, of: 200)
        var order: [Int] = []
        while let element = queue.popFirst() {
            order.append(element)
        }
        #expect(order == [1, 20, 30, 2, 21, 3, 4])
        #expect(queue.isEmpty)
    }

    @Test func `a user of thousands delays another user by one element`() {
        var queue = TurnQueue<UInt32, Int>()
        for element in 0..<5_000 {
            queue.append(element, of: 100)
        }
        queue.append(-1, of: 200)
        #expect(queue.popFirst() == 0)
        #expect(queue.popFirst() == -1)
        #expect(queue.popFirst() == 1)
    }

    @Test func `many users that come and go leave a queue that serves the next`() {
        var queue = TurnQueue<UInt32, UInt32>()
        for user in 0..<1_000 as Range<UInt32> {
            queue.append(user, of: user)
            #expect(queue.popFirst() == user)
        }
        #expect(queue.isEmpty && queue.popFirst() == nil)
        queue.append(7, of: 7)
        #expect(queue.popFirst() == 7)
    }
}
