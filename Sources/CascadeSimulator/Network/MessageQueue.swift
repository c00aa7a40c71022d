// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

/// Messages on their way in one direction of a connection, in the order in which they were sent.
struct MessageQueue {
    private var messages: Deque<(arrival: Instant, bytes: [UInt8])> = []

    var count: Int {
        messages.count
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
        guard let first = messages.first, first.arrival <= now else {
            return nil
        }
        return messages.removeFirst().bytes
    }

    /// Only the first so many still arrive.
    mutating func keep(first count: Int) {
        messages.removeLast(max(0, self.count - count))
    }

    /// What has these places in the queue does not arrive.
    mutating func lose(_ places: ClosedRange<Int>) {
        messages.removeSubrange(places)
    }

    /// All that is still to arrive, which now does not.
    mutating func takeAll() -> [[UInt8]] {
        defer { messages = [] }
        return messages.map(\.bytes)
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
