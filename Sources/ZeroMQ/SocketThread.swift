// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// A thread for sockets, and an executor that actors and tasks can be pinned to.
///
/// It runs one loop: run the added jobs, call the driver's turn, and sleep until a socket, a deadline or
/// a new job ends the sleep. A job wakes the thread only if it sleeps. The thread sleeps in the event
/// loop of a driver that has one, and otherwise in poll(2).
///
/// Unchecked, because the compiler cannot see the ownership: other threads use the inbox, which has a
/// lock, and the state that `joining` guards; everything else belongs to the running thread.
package final class SocketThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// The time for which the thread may sleep after a turn. Jobs and ready sockets always end the sleep.
    package enum Rest: Sendable, Equatable {
        /// No sleep, because more work is ready.
        case poll
        /// Until this time of `MonotonicClock`, in nanoseconds, rounded up to whole milliseconds.
        case until(UInt64)
        case forever
    }

    /// The reason why a sleep has ended.
    package enum Wake: Sendable, Equatable {
        case deadline
        /// A descriptor or socket of the driver is ready.
        case driver
        /// A job was added. A descriptor or socket of the driver may be ready too.
        case job
    }

    package let name: String
    private let spinNanoseconds: UInt64

    /// The largest number of batches of jobs between two turns of the driver.
    private static let batchesPerTurn = 64

    private let inbox = JobInbox()

    // Guarded by `joining`.
    private let joining = Lock()
    private var thread: OwnThread?

    // Used by the running thread alone.
    private var batch: [UnownedJob] = []
    private var driver: (any SocketThreadDriver)?
    private var poller = Poller()
    private var pollItemsRevision: Int?
    private var longJobs: (nanoseconds: UInt64, report: @Sendable (UInt64) -> Void)?

    /// The running thread; 0 for none. Relaxed order suffices, because only the thread itself stores its
    /// number.
    private let owner = Atomic<UInt>(0)

    /// - Parameters:
    ///   - name: The thread's name in `ps` and profiles, which show its first 15 bytes.
    ///   - spinNanoseconds: The time for which the thread polls before each sleep. Polling shortens the
    ///     latency of the next message, and keeps a core busy.
    package init(name: String, spinNanoseconds: UInt64 = 0) {
        self.name = name
        self.spinNanoseconds = spinNanoseconds
    }

    // MARK: - Lifetime

    /// Starts the thread. Call it only once, even if it fails. The running thread retains itself and its
    /// driver until `stop()`.
    package func start(
        driver: (any SocketThreadDriver & Sendable)? = nil
    ) throws(ZeroMQError) {
        try inbox.open()
        self.driver = driver
        try joining.withLock { () throws(ZeroMQError) in thread = try makeThread() }
    }

    /// Runs the waiting jobs, ends the thread and waits for its end. Call it from another thread, any
    /// number of times. The driver must have closed its sockets before.
    ///
    /// Jobs that are added later still run, one after another, on a new thread that ends after them.
    /// Without it, a task that calls a stopped actor would never continue.
    package func stop() {
        precondition(!isCurrent, "thread \(name) can't wait for its own end")
        if !inbox.stop() { resume() }
        joining.withLock {
            thread?.join()
            thread = nil
        }
    }

    // MARK: - Driving

    /// Sets the driver whose turns the loop calls. Call it on the thread, from a job.
    package func attach(_ driver: any SocketThreadDriver) {
        precondition(isCurrent, "a driver is attached on its own thread")
        self.driver = driver
        pollItemsRevision = nil
    }

    /// Removes the driver and its poll items. Call it on the thread.
    package func detach() {
        precondition(isCurrent, "a driver is detached on its own thread")
        driver = nil
        poller.removeItems(from: min(1, poller.count))
    }

    /// Reports each job that takes longer than a time, from now on. Call it on the thread, from a job.
    package func reportJobs(
        longerThan nanoseconds: UInt64, to report: @escaping @Sendable (UInt64) -> Void
    ) {
        precondition(isCurrent, "jobs are watched from their own thread")
        longJobs = (nanoseconds, report)
    }

    // MARK: - Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        if !inbox.append(UnownedJob(job)) { resume() }
    }

    /// Whether the caller runs on this thread, in a job or in the driver's turn.
    package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    package func checkIsolated() {
        precondition(isCurrent, "expected to be on thread \(name)")
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func isSameExclusiveExecutionContext(other: SocketThread) -> Bool { self === other }
}

// MARK: - The loop

extension SocketThread {
    private func makeThread() throws(ZeroMQError) -> OwnThread {
        try OwnThread { self.run() }
    }

    /// Runs jobs that were added after the end, on a thread that is never joined.
    private func resume() {
        do throws(ZeroMQError) {
            try makeThread().detach()
        } catch {
            preconditionFailure("\(error): the last jobs of thread \(name) cannot run")
        }
    }

    private func run() {
        cascade_name_thread(name)
        blockSignals()
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            runWaitingJobs()
            let rest = driver?.turn() ?? .forever
            refreshPollItems()
            let isBusy = rest == .poll || spin(rest)
            switch inbox.prepareSleep(unless: isBusy) {
            case .work: continue
            case .sleep: sleep(milliseconds: rest.timeoutMilliseconds)
            case .end: if finish() { return }
            }
        }
    }

    /// Runs the waiting jobs, and the jobs that they add. A message that several actors of this thread work
    /// on is therefore answered in the next turn. The number of batches is limited, so that jobs that
    /// continuously add jobs do not block the driver.
    private func runWaitingJobs() {
        for _ in 0..<Self.batchesPerTurn {
            inbox.moveJobs(into: &batch)
            if batch.isEmpty { return }
            runBatch()
        }
    }

    private func runBatch() {
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        var start = longJobs == nil ? 0 : MonotonicClock.now()
        for job in batch {
            job.runSynchronously(isolatedTo: serial, taskExecutor: task)
            if let longJobs {
                let end = MonotonicClock.now()
                if start > 0, end - start > longJobs.nanoseconds { longJobs.report(end - start) }
                start = end
            }
        }
        batch.removeAll(keepingCapacity: true)
    }

    private func refreshPollItems() {
        if poller.count == 0 { poller.add(inbox.wakeup) }
        guard let driver, driver.pollItemsRevision != pollItemsRevision else { return }
        pollItemsRevision = driver.pollItemsRevision
        poller.removeItems(from: 1)
        for item in driver.pollItems { poller.add(item) }
    }

    /// Sleeps. The thread blocks only here. It is never inlined, so that profiles show its name.
    @inline(never)
    private func sleep(milliseconds: Int) {
        wait(milliseconds: milliseconds)
    }

    /// Waits for a job, or for the driver's descriptors and sockets.
    @discardableResult
    private func wait(milliseconds: Int) -> Wake {
        let wakeup = inbox.wakeupDescriptor
        let wake =
            driver?.sleep(milliseconds: milliseconds, wakeup: wakeup)
            ?? poll(milliseconds: milliseconds)
        if wake == .job { inbox.acknowledgeWakeup() }
        return wake
    }

    /// Polls without sleeping for `spinNanoseconds`. Returns whether it has found work.
    private func spin(_ rest: Rest) -> Bool {
        guard spinNanoseconds > 0 else { return false }
        let start = MonotonicClock.now()
        var now = start
        while now - start < spinNanoseconds {
            if rest.isOver(at: now) || wait(milliseconds: 0) != .deadline { return true }
            if inbox.hasWork { return true }
            now = MonotonicClock.now()
        }
        return false
    }

    private func poll(milliseconds: Int) -> Wake {
        do throws(ZeroMQError) {
            let readyCount = try poller.wait(
                timeoutMilliseconds: milliseconds,
                endsOnActivity: driver?.wakesOnActivity ?? false)
            return poller.isReadable(0) ? .job : readyCount > 0 ? .driver : .deadline
        } catch {
            // The context was shut down. Polling its sockets would fail again until the driver closes
            // them, so they are removed; the driver's next receive reports the shutdown.
            precondition(error.isTermination, "\(name): \(error)")
            poller.removeItems(from: 1)
            return .deadline
        }
    }

    /// Releases the driver and ends the thread, unless the release added jobs. Returns whether it has ended.
    /// After `true` the thread's state must not be used, because the next thread may use it.
    private func finish() -> Bool {
        driver = nil
        poller.removeItems(from: 0)
        return inbox.finish { owner.store(0, ordering: .relaxed) }
    }

    /// Blocks all signals except those of a fault on this thread. Other threads of the program handle the
    /// rest.
    private func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            sigdelset(&signals, fault)
        }
        pthread_sigmask(SIG_SETMASK, &signals, nil)
    }
}

extension SocketThread.Rest {
    fileprivate var timeoutMilliseconds: Int {
        switch self {
        case .poll: 0
        case .forever: -1
        case .until(let deadline):
            Poller.milliseconds(until: deadline, from: MonotonicClock.now())
        }
    }

    fileprivate func isOver(at now: UInt64) -> Bool {
        if case .until(let deadline) = self { return deadline <= now }
        return false
    }
}

/// The work of a `SocketThread` between jobs: it reads and writes its sockets.
///
/// Its members are called only on the thread, never inside a job. An actor pinned to the thread conforms
/// with `nonisolated` members that call `assumeIsolated`.
package protocol SocketThreadDriver: AnyObject {
    /// Reads and writes a bounded amount without blocking. Returns the time for which the thread may sleep.
    /// It is also called after every batch of jobs, whether or not an item is ready.
    func turn() -> SocketThread.Rest

    /// The owned sockets and descriptors whose readiness ends the sleep.
    var pollItems: [PollItem] { get }

    /// A number that changes with the poll items. The thread reads the items again only when it changes, so
    /// that the steady state allocates nothing. A socket must be removed from the items in the turn or job
    /// that closes it.
    var pollItemsRevision: Int { get }

    /// Whether any activity inside a socket ends the sleep, not only a readable message. Without it, the
    /// thread does not detect that a full queue has room again.
    var wakesOnActivity: Bool { get }

    /// Sleeps in the driver's own event loop, which must watch `wakeup` too, until a descriptor is ready or
    /// the time has passed. A negative time means no limit. Returns `nil` without an event loop; then the
    /// thread polls the items.
    ///
    /// The next turn uses the events that the loop has found, so that sleep and turn take one system call.
    func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake?
}

extension SocketThreadDriver {
    /// A constant, for items that never change.
    package var pollItemsRevision: Int { 0 }

    package var wakesOnActivity: Bool { false }

    package func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? { nil }
}
