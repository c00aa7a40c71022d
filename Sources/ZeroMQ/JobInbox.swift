// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The queue of jobs that other threads add for a `SocketThread`, and the signal that ends its
/// sleep.
///
/// A wakeup is a write to an eventfd; only a thread that announced its sleep gets one. Unchecked,
/// because the compiler cannot see that the lock guards the mutable state.
final class JobInbox: @unchecked Sendable {
    /// idle → running (open) → stopping (stop) → stopped (closed, and no job left) → stopping (a
    /// job was added late).
    private enum Phase {
        case idle, running, stopping, stopped
    }

    enum SleepDecision {
        /// Jobs are waiting, or the thread is busy.
        case work
        /// From now on until the wakeup, the thread that adds a job writes the eventfd.
        case sleep
        /// No job is left, and the inbox is stopping.
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

    /// Readable when a sleep must end.
    var wakeup: PollItem { .fileDescriptor(wakeupDescriptor) }

    var wakeupDescriptor: Int32 { lock.withLock { eventDescriptor } }

    // MARK: - For all threads

    /// Creates the eventfd and starts accepting jobs. Call it once.
    func open() throws(ZeroMQError) {
        let descriptor = cascade_eventfd_create()
        guard descriptor >= 0 else { throw ZeroMQError(code: errno, operation: "open an inbox") }
        lock.withLock {
            precondition(phase == .idle, "a thread is started once")
            eventDescriptor = descriptor
            phase = .running
        }
    }

    /// Adds a job. Returns `false` if no thread runs the jobs: the caller must start one.
    func append(_ job: UnownedJob) -> Bool {
        let (sleeper, isAttended) = lock.withLock { () -> (Int32?, Bool) in
            jobs.append(job)
            guard phase != .stopped else {
                phase = .stopping
                return (nil, false)
            }
            return (takeSleepingDescriptor(), true)
        }
        if let sleeper { cascade_eventfd_write(sleeper) }
        return isAttended
    }

    /// Lets the thread end once the inbox is empty. Returns `false` if jobs are left without a
    /// thread: the caller must start one.
    func stop() -> Bool {
        let (sleeper, isAttended) = lock.withLock { () -> (Int32?, Bool) in
            switch phase {
            case .idle:
                phase = jobs.isEmpty ? .stopped : .stopping
                return (nil, jobs.isEmpty)
            case .running:
                phase = .stopping
                return (takeSleepingDescriptor(), true)
            case .stopping, .stopped:
                return (nil, true)
            }
        }
        if let sleeper { cascade_eventfd_write(sleeper) }
        return isAttended
    }

    // MARK: - For the thread

    /// Swaps the waiting jobs for an empty array, whose storage is used next.
    func take(into batch: inout [UnownedJob]) {
        lock.withLock {
            isSleeping = false
            swap(&jobs, &batch)
        }
    }

    /// Whether the thread should stop waiting for messages.
    var isWaiting: Bool { lock.withLock { !jobs.isEmpty || phase == .stopping } }

    /// Prepares the thread's sleep. A busy thread does not sleep, but may have to end.
    func fallAsleep(unless isBusy: Bool) -> SleepDecision {
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

    /// Ends the thread's work and returns `true` unless jobs were added. Runs `leave` as the last
    /// action before the next thread may take over.
    func finish(leaving leave: () -> Void) -> Bool {
        lock.withLock {
            guard jobs.isEmpty else { return false }
            leave()
            phase = .stopped
            return true
        }
    }

    /// The descriptor to write if the thread sleeps; only the first caller gets it. Call it with
    /// the lock held.
    private func takeSleepingDescriptor() -> Int32? {
        guard isSleeping else { return nil }
        isSleeping = false
        return eventDescriptor
    }
}
