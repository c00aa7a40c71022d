// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// The thread of sockets, as an executor that actors and tasks can be pinned to.
///
/// It runs one loop: run the added jobs, give the driver its turn, sleep until a socket, a deadline
/// or a new job ends the sleep. A job wakes the thread only if it sleeps. The thread sleeps in the
/// event loop of a driver that has one, and otherwise in poll(2).
///
/// Unchecked, because the compiler cannot see the ownership: other threads use the inbox, which has
/// its lock, and the state under the joining lock; everything else belongs to the running thread.
package final class SocketThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// How long the thread may sleep after a turn. Jobs and ready sockets always end the sleep.
    package enum Rest: Sendable, Equatable {
        /// The thread does not sleep: more work is ready.
        case poll
        /// Until this `MonotonicClock` time, in nanoseconds, rounded up to whole milliseconds.
        case until(UInt64)
        case forever
    }

    /// The reason why a sleep has ended.
    package enum Wake: Sendable, Equatable {
        case deadline
        /// A descriptor or socket of the driver is ready.
        case driver
        /// A job was added, and perhaps the driver has something ready too.
        case job
    }

    package let name: String
    private let spinNanoseconds: UInt64

    private static let roundsPerTurn = 64

    private let inbox = JobInbox()

    // Guarded by the joining lock.
    private let joining = Lock()
    private var thread: OwnThread?

    // Used by the running thread alone.
    private var batch: [UnownedJob] = []
    private var driver: (any SocketThreadDriver)?
    private var poller = Poller()
    private var pollItemsRevision: Int?
    private var longJobs: (nanoseconds: UInt64, report: @Sendable (UInt64) -> Void)?

    /// The running thread, 0 without one. Relaxed order is enough: a caller finds its own number
    /// only if it stored it itself.
    private let owner = Atomic<UInt>(0)

    /// - Parameters:
    ///   - name: the thread's name in `ps` and profiles, which show its first 15 bytes.
    ///   - spinNanoseconds: how long to poll before each sleep. Polling shortens the time until the
    ///     next message and keeps a core busy.
    package init(name: String, spinNanoseconds: UInt64 = 0) {
        self.name = name
        self.spinNanoseconds = spinNanoseconds
    }

    // MARK: - Lifetime

    /// Starts the thread. Call it once, even if it fails. The thread keeps itself and its driver
    /// alive until `stop()`.
    package func start(
        driver: (any SocketThreadDriver & Sendable)? = nil
    ) throws(ZeroMQError) {
        try inbox.open()
        self.driver = driver
        try joining.withLock { () throws(ZeroMQError) in thread = try makeThread() }
    }

    /// Runs the waiting jobs, ends the thread and waits for its end. Call it from another thread,
    /// any number of times; the driver must have closed its sockets before.
    ///
    /// Jobs that are added later still run, one after another, on a new thread that ends after
    /// them: a task that calls a stopped actor gets its answer instead of hanging.
    package func stop() {
        precondition(!isCurrent, "thread \(name) can't wait for its own end")
        if !inbox.stop() { resume() }
        joining.withLock {
            thread?.join()
            thread = nil
        }
    }

    // MARK: - Driving

    /// Gives the driver its turns from now on. Call it on the thread, from a job.
    package func attach(_ driver: any SocketThreadDriver) {
        precondition(isCurrent, "a driver is attached on its own thread")
        self.driver = driver
        pollItemsRevision = nil
    }

    /// Ends the driver's turns and stops polling its items. Call it on the thread.
    package func detach() {
        precondition(isCurrent, "a driver is detached on its own thread")
        driver = nil
        poller.removeItems(from: min(1, poller.count))
    }

    /// Reports each job that takes longer than this, from now on. Call it on the thread, from a job.
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

    /// Runs jobs added after the end, on a thread that is never joined.
    private func resume() {
        do throws(ZeroMQError) {
            try makeThread().detach()
        } catch {
            preconditionFailure("\(error): its last jobs can't run")
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
            switch inbox.fallAsleep(unless: isBusy) {
            case .work: continue
            case .sleep: sleep(milliseconds: rest.timeoutMilliseconds)
            case .end: if hasEnded() { return }
            }
        }
    }

    /// Runs the jobs that wait, and those that they add themselves: a message that several actors of
    /// this thread work on is answered in the turn after the last of them. Bounded, so that jobs that
    /// add jobs for ever do not keep the driver from its turn.
    private func runWaitingJobs() {
        for _ in 0..<Self.roundsPerTurn {
            inbox.take(into: &batch)
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

    /// The only place where the thread blocks. Never inlined, so that profiles show its name.
    @inline(never)
    private func sleep(milliseconds: Int) {
        wait(milliseconds: milliseconds)
    }

    /// Waits for a job, or for what the driver waits for.
    @discardableResult
    private func wait(milliseconds: Int) -> Wake {
        let wakeup = inbox.wakeupDescriptor
        let wake =
            driver?.sleep(milliseconds: milliseconds, wakeup: wakeup)
            ?? poll(milliseconds: milliseconds)
        if wake == .job { inbox.acknowledgeWakeup() }
        return wake
    }

    /// Polls without sleeping for `spinNanoseconds`. Returns whether there is work.
    private func spin(_ rest: Rest) -> Bool {
        guard spinNanoseconds > 0 else { return false }
        let start = MonotonicClock.now()
        var now = start
        while now - start < spinNanoseconds {
            if rest.isOver(at: now) || wait(milliseconds: 0) != .deadline { return true }
            if inbox.isWaiting { return true }
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
            // The context was shut down, as the driver's next receive reports, too. Polling its
            // sockets would fail again until it closes them.
            precondition(error.isTermination, "\(name): \(error)")
            poller.removeItems(from: 1)
            return .deadline
        }
    }

    /// Releases the driver, and the thread unless that added jobs. After `true` the thread's state
    /// must not be used: the next thread may be running on it.
    private func hasEnded() -> Bool {
        driver = nil
        poller.removeItems(from: 0)
        return inbox.finish { owner.store(0, ordering: .relaxed) }
    }

    /// Blocks all signals except those raised by a fault on this thread; the program's other
    /// threads handle the rest.
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

/// The work of a `SocketThread` between jobs: it reads its sockets and writes what is due.
///
/// Called only on the thread, never inside a job. An actor pinned to the thread conforms with
/// `nonisolated` members that call `assumeIsolated`.
package protocol SocketThreadDriver: AnyObject {
    /// Reads and writes a bounded amount without blocking. Returns how long the thread may sleep.
    /// Also called after every batch of jobs, whether or not an item is ready.
    func turn() -> SocketThread.Rest

    /// The owned sockets and descriptors whose readiness ends the sleep.
    var pollItems: [PollItem] { get }

    /// A number that changes with the poll items. The items are read again only then, so that the
    /// steady state allocates nothing. A closed socket must leave the items in the same turn or
    /// job.
    var pollItemsRevision: Int { get }

    /// Whether any activity inside a socket ends the sleep, not only a readable message. Only this
    /// way does the thread notice that a peer takes messages again.
    var wakesOnActivity: Bool { get }

    /// Sleeps in an event loop of the driver's own, which watches `wakeup` too: until a descriptor is
    /// ready or the time has passed; a negative time has no limit. Returns `nil` without such a loop;
    /// then the thread polls the items.
    ///
    /// The next turn uses what the loop has found. So the two cost one system call, not two.
    func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake?
}

extension SocketThreadDriver {
    /// A constant, for items that never change.
    package var pollItemsRevision: Int { 0 }

    package var wakesOnActivity: Bool { false }

    package func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? { nil }
}
