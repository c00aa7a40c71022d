// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Stores the handover where the next daemon finds it, however this one ends.
///
/// A change is stored before any peer is told of it, unless changes are so frequent that this would
/// take up the broker's time: then they are stored a moment later, together.
final class HandoverKeeper {
    private let memory: StateMemory
    private var version: UInt64?
    private var earliest = Instant(nanoseconds: 0)
    private var isPending = false
    private var hasFailed = false

    /// Writing may take one part in this many of the broker's time. A bus of a few nodes waits a
    /// millisecond or two between writes, one of ten thousand nodes a quarter of a second.
    private static let share: UInt64 = 50

    init(_ memory: StateMemory) {
        self.memory = memory
    }

    /// When a pending change is stored.
    var next: Instant? {
        isPending ? earliest : nil
    }

    /// Stores changes if the time for it has come. Returns `false` at the first failure only.
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
