// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeBroker

@Suite struct DeadlineQueueTests {
    private static func instant(_ nanoseconds: Int) -> Instant {
        Instant(nanoseconds: UInt64(nanoseconds))
    }

    @Test func `deadlines are removed in order of time, each once it has passed`() {
        var queue = DeadlineQueue()
        for time in [5, 1, 4, 2, 3] {
            _ = queue.insert(Self.instant(time), .event(.imagined(time)))
        }
        #expect(queue.first == Self.instant(1))
        #expect(queue.popFirst(at: Self.instant(0)) == nil)
        for time in 1...5 {
            #expect(queue.popFirst(at: Self.instant(5)) == .event(.imagined(time)))
        }
        #expect(queue.popFirst(at: Self.instant(9)) == nil)
        #expect(queue.first == nil)
    }

    @Test func `a removed deadline does not fire, and removing it again does nothing`() {
        var queue = DeadlineQueue()
        let first = queue.insert(Self.instant(1), .node(.imagined(1)))
        let second = queue.insert(Self.instant(2), .node(.imagined(2)))
        #expect(queue.contains(first) == true)
        queue.remove(first)
        #expect(queue.contains(first) == false)
        #expect(queue.instant(of: first) == nil)
        queue.remove(first)
        #expect(queue.instant(of: second) == Self.instant(2))
        #expect(queue.popFirst(at: Self.instant(9)) == .node(.imagined(2)))
    }

    @Test func `a handle of a deadline that has fired removes no later deadline`() {
        var queue = DeadlineQueue()
        let first = queue.insert(Self.instant(1), .node(.imagined(1)))
        #expect(queue.popFirst(at: Self.instant(1)) == .node(.imagined(1)))
        let second = queue.insert(Self.instant(2), .node(.imagined(2)))
        #expect(first != second)
        #expect(queue.contains(first) == false)
        queue.remove(first)
        queue.remove(DeadlineQueue.none)
        #expect(queue.contains(second) == true)
        #expect(queue.popFirst(at: Self.instant(9)) == .node(.imagined(2)))
    }

    @Test(arguments: 0..<20)
    func `the queue returns deadlines in the order of a sorted list`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = DeadlineQueue()
        var expected: [(time: Int, owner: Int, handle: DeadlineQueue.Handle)] = []
        for owner in 0..<600 {
            switch generator.below(10) {
            case 0..<5:
                let time = generator.below(1000) * 1000 + owner
                let handle = queue.insert(Self.instant(time), .event(.imagined(owner)))
                expected.append((time, owner, handle))
            case 5..<8 where !expected.isEmpty:
                let removed = expected.remove(at: generator.below(expected.count))
                queue.remove(removed.handle)
            default:
                expected.sort { $0.time < $1.time }
                if let first = expected.first {
                    #expect(
                        queue.popFirst(at: Self.instant(first.time))
                            == .event(.imagined(first.owner)))
                    expected.removeFirst()
                }
            }
            #expect(queue.first == expected.map(\.time).min().map(Self.instant))
        }
    }
}
