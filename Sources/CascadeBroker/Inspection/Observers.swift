// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What the bus keeps for inspection. Nothing here changes where an event goes.
struct Observers: Sendable {
    /// Events and publications that have ended.
    var traces = TraceRing()
    var monitors = Monitors()
    var repeatingQueries = RepeatingQueries()
    /// Queries whose answers take several turns, or have to wait for one.
    var inquiries = InquiryTable()
    var counters = Counters()
    var eventTimes = EventTimes()
    /// What the metrics say of the daemon's process.
    var processFacts: ProcessFacts?
}

extension Broker {
    package var processFacts: ProcessFacts? {
        get { observers.processFacts }
        set { observers.processFacts = newValue }
    }
}

/// Tells people when something was: what the wall clock showed when the broker's clock stood at
/// zero, added.
struct WallClock: Sendable {
    /// Nanoseconds since the beginning of 1970.
    var epochNanoseconds: UInt64

    func time(_ instant: Instant) -> Timestamp {
        Timestamp(
            microseconds: Int64(clamping: (epochNanoseconds &+ instant.nanoseconds) / 1_000))
    }
}
