// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The tasks that sleep on a virtual clock.
actor Sleepers {
    private var sleepers: [(deadline: VirtualClock.Instant, waiter: Waiter<Void>)] = []

    /// Waits for a deadline. Throws `CancellationError` if the task is cancelled before.
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
