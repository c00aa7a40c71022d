// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

@Suite struct PollableQueueTests {
    private struct Consumer {
        let queue: PollableQueue<Int>
        var poller = Poller()

        init() throws {
            queue = try PollableQueue()
            poller.add(queue.pollItem)
        }

        mutating func isReadable(withinMilliseconds timeout: Int = 0) throws -> Bool {
            try poller.wait(timeoutMilliseconds: timeout) > 0
        }
    }

    @Test func `the descriptor is readable exactly while the queue has elements`() throws {
        var consumer = try Consumer()
        #expect(try !consumer.isReadable())
        consumer.queue.append(contentsOf: [])
        #expect(try !consumer.isReadable())
        consumer.queue.append(contentsOf: [1, 2])
        consumer.queue.append(contentsOf: [3])
        #expect(try consumer.isReadable())
        #expect(try consumer.isReadable())
        #expect(consumer.queue.takeAll() == [1, 2, 3])
        #expect(try !consumer.isReadable())
        #expect(consumer.queue.takeAll() == [])
        consumer.queue.append(contentsOf: [4])
        #expect(try consumer.isReadable())
        #expect(consumer.queue.takeAll() == [4])
        #expect(try !consumer.isReadable())
    }

    @Test func `a finished queue returns its elements and then ends`() throws {
        let queue = try PollableQueue<Int>()
        queue.append(contentsOf: [1])
        queue.finish()
        queue.append(contentsOf: [2])
        #expect(queue.next() == [1, 2])
        #expect(queue.next() == nil)
        #expect(queue.next() == nil)
    }

    // At whatever instant the consumer takes, no element is left without a signal, and no signal
    // without an element.
    @Test func `no wake-up is lost or spurious, however the threads interleave`() throws {
        var consumer = try Consumer()
        let queue = consumer.queue
        let last = 20_000
        let producer = try OwnThread {
            for number in 1...last {
                queue.append(contentsOf: [number])
            }
        }
        var taken = 0
        var isInOrder = true
        var emptyWakeUps = 0
        while taken < last {
            try #require(try consumer.isReadable(withinMilliseconds: 20_000), "a wake-up is lost")
            let numbers = queue.takeAll()
            emptyWakeUps += numbers.isEmpty ? 1 : 0
            // A second take races with the next append, like a turn with another cause.
            for number in numbers + queue.takeAll() {
                isInOrder = isInOrder && number == taken + 1
                taken = number
            }
        }
        producer.join()
        #expect(isInOrder)
        #expect(emptyWakeUps == 0)
        #expect(try !consumer.isReadable())
    }

    @Test func `a waiting consumer receives all elements and then ends`() throws {
        let queue = try PollableQueue<Int>()
        let producer = try OwnThread {
            for number in 1...10_000 {
                queue.append(contentsOf: [number])
            }
            queue.finish()
        }
        var numbers: [Int] = []
        while let batch = queue.next() {
            numbers += batch
        }
        producer.join()
        #expect(numbers == Array(1...10_000))
    }
}
