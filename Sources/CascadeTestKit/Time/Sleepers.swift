// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Who sleeps until when on a clock that others move.
actor Sleepers {
    private var sleepers: [(deadline: VirtualClock.Instant, waiter: Waiter<Void>)] = []

    /// Throws `CancellationError` if the task is cancelled before its time has come.
    func sleep(until deadline: VirtualClock.Instant, on clock: VirtualClock) async throws {
        try Task.checkCancellation()
        guard deadline > clock.now else {
            return
        }
        try await Waiter.value { sleepers.append((deadline, $0)) }
    }

    /// When somebody is to be woken next.
    var nextAlarm: VirtualClock.Instant? {
        sleepers.map(\.deadline).min()
    }

    /// Wakes those whose time has come, in the order of their deadlines.
    func wake(at now: VirtualClock.Instant) {
        let due = sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
        sleepers.removeAll { $0.deadline <= now }
        for sleeper in due {
            sleeper.waiter.resume(with: .success(()))
        }
    }
}
