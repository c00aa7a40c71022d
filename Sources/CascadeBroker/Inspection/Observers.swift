// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The records kept for inspection. They never influence the route of an event.
struct Observers: ~Copyable {
    /// Events and publications that have ended.
    var traces = TraceRing()
    var monitors = Monitors()
    var repeatingQueries = RepeatingQueries()
    /// Queries whose answers take several turns, or wait for one.
    var inquiries = InquiryTable()
    var counters = Counters()
    /// The counters of the nodes, as those know them that ask for activity.
    var activity = ActivityReadings()
    var eventTimes = EventTimes()
    /// The figures of the daemon's process for the metrics.
    var processFacts: ProcessFacts?
}

extension Broker {
    package var processFacts: ProcessFacts? {
        get { observers.processFacts }
        set { observers.processFacts = newValue }
    }
}

/// Converts instants for display: adds the wall clock's reading at the zero of the broker's clock.
struct WallClock: Sendable {
    /// Nanoseconds since the beginning of 1970.
    var epochNanoseconds: UInt64

    func time(_ instant: Instant) -> Timestamp {
        Timestamp(
            microseconds: Int64(clamping: (epochNanoseconds &+ instant.nanoseconds) / 1_000))
    }
}
