// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The queue of jobs that other threads add for a `SocketThread`, and the signal that wakes the thread.
///
/// A wakeup is a write to an eventfd. It is written only if the thread sleeps. Unchecked, because the
/// compiler cannot see that the lock guards the mutable state.
final class JobInbox: @unchecked Sendable {
    /// The transitions: idle → running (open) → stopping (stop) → stopped (no job is left) → stopping (a
    /// job was added late).
    private enum Phase {
        case idle, running, stopping, stopped
    }

    enum SleepDecision {
        /// The thread must not sleep: jobs are waiting, or it is busy.
        case work
        /// The thread must sleep. Until the wakeup, a thread that adds a job writes the eventfd.
        case sleep
        /// The thread must end: no job is left, and the inbox is stopping.
        case end
    }

    private let lock = Lock()
    private var jobs: [UnownedJob] = []
    private var phase = Phase.idle
    private var isSleeping = false
    private var eventDescriptor: Int32 = -1

    deinit {
        if eventDescriptor >= 0 { close(eventDescriptor) }
    }

    /// The item that is readable when a sleep must end.
    var wakeup: PollItem { .fileDescriptor(wakeupDescriptor) }

    var wakeupDescriptor: Int32 { lock.withLock { eventDescriptor } }

    // MARK: - For all threads

    /// Creates the eventfd and starts the acceptance of jobs. Call it once.
    func open() throws(ZeroMQError) {
        let descriptor = cascade_eventfd_create()
        guard descriptor >= 0 else { throw ZeroMQError(code: errno, operation: "open an inbox") }
        lock.withLock {
            precondition(phase == .idle, "a thread is started once")
            eventDescriptor = descriptor
            phase = .running
        }
    }

    /// Adds a job. Returns `false` if no thread runs the jobs; the caller must then start one.
    func append(_ job: UnownedJob) -> Bool {
        let (sleeper, hasThread) = lock.withLock { () -> (Int32?, Bool) in
            jobs.append(job)
            guard phase != .stopped else {
                phase = .stopping
                return (nil, false)
            }
            return (wakeupDescriptorIfSleeping(), true)
        }
        if let sleeper { cascade_eventfd_write(sleeper) }
        return hasThread
    }

    /// Requests that the thread end when the inbox is empty. Returns `false` if jobs are left without a
    /// thread; the caller must then start one.
    func stop() -> Bool {
        let (sleeper, hasThread) = lock.withLock { () -> (Int32?, Bool) in
            switch phase {
            case .idle:
                phase = jobs.isEmpty ? .stopped : .stopping
                return (nil, jobs.isEmpty)
            case .running:
                phase = .stopping
                return (wakeupDescriptorIfSleeping(), true)
            case .stopping, .stopped:
                return (nil, true)
            }
        }
        if let sleeper { cascade_eventfd_write(sleeper) }
        return hasThread
    }

    // MARK: - For the thread

    /// Moves the waiting jobs into `batch`, which must be empty. The inbox uses its storage next.
    func moveJobs(into batch: inout [UnownedJob]) {
        lock.withLock {
            isSleeping = false
            swap(&jobs, &batch)
        }
    }

    /// Whether jobs are waiting, or the thread must end.
    var hasWork: Bool { lock.withLock { !jobs.isEmpty || phase == .stopping } }

    /// Decides whether the thread sleeps, and if so records it as sleeping. A busy thread does not sleep,
    /// but may have to end.
    func prepareSleep(unless isBusy: Bool) -> SleepDecision {
        lock.withLock {
            if !jobs.isEmpty { return .work }
            if phase == .stopping { return .end }
            if isBusy { return .work }
            isSleeping = true
            return .sleep
        }
    }

    /// Resets the eventfd after a wakeup.
    func acknowledgeWakeup() {
        cascade_eventfd_read(lock.withLock { eventDescriptor })
    }

    /// Ends the thread's work unless jobs were added; returns whether it has ended. Calls `cleanUp` as the
    /// last action before another thread may take over.
    func finish(_ cleanUp: () -> Void) -> Bool {
        lock.withLock {
            guard jobs.isEmpty else { return false }
            cleanUp()
            phase = .stopped
            return true
        }
    }

    /// Records the thread as awake. Returns the eventfd if the thread was sleeping, for the caller to
    /// write; otherwise `nil`. Call it with the lock held.
    private func wakeupDescriptorIfSleeping() -> Int32? {
        guard isSleeping else { return nil }
        isSleeping = false
        return eventDescriptor
    }
}
