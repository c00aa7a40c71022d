// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Where other threads leave jobs for a `SocketThread`, and how they end its sleep.
///
/// A wakeup is a write to an eventfd, and only a thread that said it would sleep gets one.
/// Unchecked, because the compiler can't see that the lock guards all that changes.
final class JobInbox: @unchecked Sendable {
    /// idle → running (open) → stopping (stop) → stopped (closed, nothing left to run) → stopping
    /// (a job came late).
    private enum Phase {
        case idle, running, stopping, stopped
    }

    enum Sleepiness {
        /// There is something to do.
        case work
        /// From here on to the wakeup, the thread that appends a job writes the eventfd.
        case sleep
        /// Nothing is left to run, and nothing more is expected.
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
    var wakeup: PollItem { .fileDescriptor(lock.withLock { eventDescriptor }) }

    // MARK: - For everybody

    /// Makes sleeping possible, once.
    func open() throws(ZeroMQError) {
        let descriptor = cascade_eventfd_create()
        guard descriptor >= 0 else { throw ZeroMQError(code: errno, operation: "open an inbox") }
        lock.withLock {
            precondition(phase == .idle, "a thread is started once")
            eventDescriptor = descriptor
            phase = .running
        }
    }

    /// False when nobody is there to run the job: the caller must bring a thread.
    func append(_ job: UnownedJob) -> Bool {
        let (sleeper, isAttended) = lock.withLock { () -> (Int32?, Bool) in
            jobs.append(job)
            guard phase != .stopped else {
                phase = .stopping
                return (nil, false)
            }
            return (takeSleeper(), true)
        }
        if let sleeper { cascade_eventfd_write(sleeper) }
        return isAttended
    }

    /// Lets the thread end once the inbox is empty. False when nobody is there to empty it.
    func stop() -> Bool {
        let (sleeper, isAttended) = lock.withLock { () -> (Int32?, Bool) in
            switch phase {
            case .idle:
                phase = jobs.isEmpty ? .stopped : .stopping
                return (nil, jobs.isEmpty)
            case .running:
                phase = .stopping
                return (takeSleeper(), true)
            case .stopping, .stopped:
                return (nil, true)
            }
        }
        if let sleeper { cascade_eventfd_write(sleeper) }
        return isAttended
    }

    // MARK: - For the thread

    /// Swaps the jobs that are there for an empty array, whose storage is used next.
    func take(into batch: inout [UnownedJob]) {
        lock.withLock {
            isSleeping = false
            swap(&jobs, &batch)
        }
    }

    /// Whether the thread should stop waiting for messages.
    var isWaiting: Bool { lock.withLock { !jobs.isEmpty || phase == .stopping } }

    /// A busy thread doesn't sleep, but may have to end.
    func fallAsleep(unless isBusy: Bool) -> Sleepiness {
        lock.withLock {
            if !jobs.isEmpty { return .work }
            if phase == .stopping { return .end }
            if isBusy { return .work }
            isSleeping = true
            return .sleep
        }
    }

    /// Takes back a wakeup that was seen.
    func acknowledgeWakeup() {
        cascade_eventfd_read(lock.withLock { eventDescriptor })
    }

    /// Ends the thread's work unless jobs came. Runs `leave` as the last thing before the next
    /// thread may take over.
    func finish(leaving leave: () -> Void) -> Bool {
        lock.withLock {
            guard jobs.isEmpty else { return false }
            leave()
            phase = .stopped
            return true
        }
    }

    /// The descriptor to write if the thread sleeps; the first who asks does it. Under the lock.
    private func takeSleeper() -> Int32? {
        guard isSleeping else { return nil }
        isSleeping = false
        return eventDescriptor
    }
}
