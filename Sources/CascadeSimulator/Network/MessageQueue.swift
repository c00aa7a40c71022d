// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

/// Messages in transit in one direction of a connection, in the order in which they were sent.
struct MessageQueue {
    private var messages: Deque<(arrival: Instant, bytes: [UInt8])> = []

    var count: Int {
        messages.count
    }

    /// When the last message arrives.
    private(set) var lastArrival = Instant(nanoseconds: 0)

    /// Appends a message. Returns its time of arrival, which is never before that of the previous
    /// one.
    mutating func append(_ bytes: [UInt8], arrival: Instant) -> Instant {
        lastArrival = max(lastArrival, arrival)
        messages.append((lastArrival, bytes))
        return lastArrival
    }

    /// Removes and returns the next message if it has arrived.
    mutating func next(at now: Instant) -> [UInt8]? {
        guard let first = messages.first, first.arrival <= now else {
            return nil
        }
        return messages.removeFirst().bytes
    }

    /// Loses all messages but the first `count`.
    mutating func keep(first count: Int) {
        messages.removeLast(max(0, self.count - count))
    }

    /// Loses the messages at these indices.
    mutating func lose(_ places: ClosedRange<Int>) {
        messages.removeSubrange(places)
    }

    /// Removes and returns all messages.
    mutating func takeAll() -> [[UInt8]] {
        defer { messages = [] }
        return messages.map(\.bytes)
    }

    /// Exchanges the last two messages, which a real connection never does.
    mutating func swapLast() {
        guard count >= 2 else {
            return
        }
        let last = messages.count - 1
        (messages[last].bytes, messages[last - 1].bytes) =
            (messages[last - 1].bytes, messages[last].bytes)
    }
}
