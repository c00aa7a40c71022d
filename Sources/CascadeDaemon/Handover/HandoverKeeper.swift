// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Keeps what the next daemon needs where it finds it, however this one ends.
///
/// A change is kept before anybody is told that it has happened, unless changes come so thick that
/// this would take up the broker's time: then they are kept a moment later, all at once.
final class HandoverKeeper {
    private let memory: StateMemory
    private var version: UInt64?
    private var earliest = Instant(nanoseconds: 0)
    private var isPending = false
    private var hasFailed = false

    /// Of the broker's time, writing gets one part in so many. So a bus of a few nodes waits a
    /// millisecond or two from one write to the next, one of ten thousand a quarter of a second.
    private static let share: UInt64 = 50

    init(_ memory: StateMemory) {
        self.memory = memory
    }

    /// When something that has changed is to be kept.
    var next: Instant? {
        isPending ? earliest : nil
    }

    /// Keeps what has changed, if it is time. Returns `false` if it cannot, the first time.
    func keep(_ broker: borrowing Broker, at now: Instant) -> Bool {
        guard broker.handoverVersion != version else {
            return true
        }
        guard now >= earliest else {
            isPending = true
            return true
        }
        return keepNow(broker, at: now)
    }

    func keepNow(_ broker: borrowing Broker, at now: Instant) -> Bool {
        let start = MonotonicClock.now()
        let isKept = memory.write(broker.handover().encoded())
        let cost = MonotonicClock.now() - start
        earliest = Instant(nanoseconds: now.nanoseconds + cost * Self.share)
        version = broker.handoverVersion
        isPending = false
        defer { hasFailed = !isKept }
        return isKept || hasFailed
    }
}
