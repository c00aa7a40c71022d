// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// The order of one session's events while durable events of it are being written.
///
/// The journal answers all sessions in one sequence of numbers, but only the session's own numbers
/// count here: an event follows the durable events that its session triggered before, and waits
/// for no other session's.
struct DurableSequence: Sendable {
    /// The entry of the session's latest durable event.
    var lastNumber: UInt64 = 0
    /// Events in the order in which they were triggered, each with the entry it waits for. The
    /// numbers never fall, because ``lastNumber`` does not.
    private var followers: Deque<(event: EventIndex, number: UInt64)> = []

    mutating func append(_ event: EventIndex) {
        followers.append((event, lastNumber))
    }

    /// Removes and returns those that wait for no later entry than this one.
    mutating func take(behind number: UInt64) -> [EventIndex] {
        var taken: [EventIndex] = []
        while let first = followers.first, first.number <= number {
            taken.append(followers.removeFirst().event)
        }
        return taken
    }
}
