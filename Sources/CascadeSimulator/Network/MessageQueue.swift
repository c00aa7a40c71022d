// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Messages on their way in one direction of a connection, in the order in which they were sent.
struct MessageQueue {
    private var messages: [(arrival: Instant, bytes: [UInt8])] = []
    private var head = 0

    var count: Int {
        messages.count - head
    }

    /// When the last one arrives.
    private(set) var lastArrival = Instant(nanoseconds: 0)

    /// Returns when the message arrives, which is never before the one before it.
    mutating func append(_ bytes: [UInt8], arrival: Instant) -> Instant {
        lastArrival = max(lastArrival, arrival)
        messages.append((lastArrival, bytes))
        return lastArrival
    }

    /// Takes the next message, if it has arrived.
    mutating func next(at now: Instant) -> [UInt8]? {
        guard head < messages.count, messages[head].arrival <= now else {
            return nil
        }
        let bytes = messages[head].bytes
        head += 1
        if head == messages.count || head > 256 {
            messages.removeFirst(head)
            head = 0
        }
        return bytes
    }

    /// Only the first so many still arrive.
    mutating func keep(first count: Int) {
        messages.removeLast(max(0, self.count - count))
    }

    /// What has these places in the queue does not arrive.
    mutating func lose(_ places: ClosedRange<Int>) {
        messages.removeSubrange((head + places.lowerBound)...(head + places.upperBound))
    }

    /// All that is still to arrive, which now does not.
    mutating func takeAll() -> [[UInt8]] {
        defer {
            messages = []
            head = 0
        }
        return messages[head...].map(\.bytes)
    }

    /// Exchanges the last two: what a network of this kind never does.
    mutating func swapLast() {
        guard count >= 2 else {
            return
        }
        let last = messages.count - 1
        (messages[last].bytes, messages[last - 1].bytes) =
            (messages[last - 1].bytes, messages[last].bytes)
    }
}
