// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import Synchronization

/// A clock that only a bus in memory advances, so that a test of an hour takes no time.
///
/// Pass the clock to workers that sleep, and to the bus:
///
///     let clock = VirtualClock()
///     let bus = LoopbackBus(clock: clock) { Reminder(clock: clock) }
///     try await bus.run { bus in
///         await bus.advance(by: .seconds(3600))
///     }
public final class VirtualClock: Clock, Sendable {
    /// A point in the time of the clock.
    public struct Instant: InstantProtocol {
        let nanoseconds: UInt64

        public func advanced(by duration: Duration) -> Instant {
            Instant(
                nanoseconds: UInt64(max(0, Int64(nanoseconds) + duration.wholeNanoseconds)))
        }

        public func duration(to other: Instant) -> Duration {
            .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
        }

        public static func < (left: Instant, right: Instant) -> Bool {
            left.nanoseconds < right.nanoseconds
        }
    }

    private let nanoseconds = Atomic<UInt64>(0)
    private let sleepers = Sleepers()

    public init() {}

    public var now: Instant {
        Instant(nanoseconds: nanoseconds.load(ordering: .acquiring))
    }

    public var minimumResolution: Duration {
        .nanoseconds(1)
    }

    /// Waits until a bus has advanced the clock to the deadline. Throws `CancellationError` if the
    /// task is cancelled before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await sleepers.sleep(until: deadline, on: self)
    }

    /// Sets the clock, and wakes the tasks whose deadline has passed.
    func move(to instant: Instant) async {
        nanoseconds.store(max(now, instant).nanoseconds, ordering: .releasing)
        await sleepers.wake(at: now)
    }

    /// The earliest deadline of a sleeping task.
    var nextAlarm: Instant? {
        get async {
            await sleepers.nextAlarm
        }
    }
}

/// The tasks that sleep on a virtual clock.
actor Sleepers {
    private var sleepers: [(deadline: VirtualClock.Instant, waiter: Waiter<Void>)] = []

    /// Waits for a deadline. Throws `CancellationError` if the task is cancelled before it.
    func sleep(until deadline: VirtualClock.Instant, on clock: VirtualClock) async throws {
        try Task.checkCancellation()
        guard deadline > clock.now else {
            return
        }
        try await Waiter.value { sleepers.append((deadline, $0)) }
    }

    /// The earliest deadline of a sleeping task.
    var nextAlarm: VirtualClock.Instant? {
        sleepers.map(\.deadline).min()
    }

    /// Wakes the tasks whose deadline has passed, in the order of their deadlines.
    func wake(at now: VirtualClock.Instant) {
        let due = sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
        sleepers.removeAll { $0.deadline <= now }
        for sleeper in due {
            sleeper.waiter.resume(with: .success(()))
        }
    }
}
