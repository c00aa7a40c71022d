// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// The thread that sockets live on, as an executor that actors and tasks can be pinned to.
///
/// One loop: run the jobs that came in, give the driver its turn, sleep in `zmq_poll` until a
/// socket, a deadline or a new job ends the sleep. A job costs a wakeup of the thread only if it
/// sleeps.
///
/// Unchecked, because the compiler can't see who touches what: other threads reach the inbox, which
/// has its lock, and the joining; everything else belongs to the running thread.
package final class SocketThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// How long the thread may sleep after a turn. Jobs and ready sockets always end the sleep.
    package enum Rest: Sendable, Equatable {
        /// Not at all: there is more to do at once.
        case poll
        /// Until this `MonotonicClock` instant, in nanoseconds; whole milliseconds, rounded up.
        case until(UInt64)
        case forever
    }

    package let name: String
    private let spinNanoseconds: UInt64

    private let inbox = JobInbox()

    // Under the joining lock.
    private let joining = Lock()
    private var thread: OwnThread?

    // Of the running thread alone.
    private var batch: [UnownedJob] = []
    private var driver: (any SocketThreadDriver)?
    private var poller = Poller()
    private var pollItemsRevision: Int?

    /// The running thread, 0 without one. Relaxed is enough: who asks finds its own number only if
    /// it stored it.
    private let owner = Atomic<UInt>(0)

    /// - Parameters:
    ///   - name: what `ps` and profiles show; its first 15 bytes.
    ///   - spinNanoseconds: how long to poll without sleeping before each sleep: a shorter way to
    ///     the next message, paid for with a busy core.
    package init(name: String, spinNanoseconds: UInt64 = 0) {
        self.name = name
        self.spinNanoseconds = spinNanoseconds
    }

    // MARK: - Life

    /// Starts the thread, once, even if that fails. It keeps itself and its driver alive until
    /// `stop()`.
    package func start(
        driver: (any SocketThreadDriver & Sendable)? = nil
    ) throws(ZeroMQError) {
        try inbox.open()
        self.driver = driver
        try joining.withLock { () throws(ZeroMQError) in thread = try makeThread() }
    }

    /// Runs the jobs that are there, ends the thread and waits for its end. To be called from
    /// another thread, as often as one likes; what the driver owns must be closed by then.
    ///
    /// Jobs that come later still run, one after another, on a thread that lives for them alone:
    /// a task that asks a stopped actor something gets its answer instead of hanging for ever.
    package func stop() {
        precondition(!isCurrent, "thread \(name) can't wait for its own end")
        if !inbox.stop() { resume() }
        joining.withLock {
            thread?.join()
            thread = nil
        }
    }

    // MARK: - Driving

    /// Gives the driver its turns from now on. Called on the thread, by a job.
    package func attach(_ driver: any SocketThreadDriver) {
        precondition(isCurrent, "a driver is attached on its own thread")
        self.driver = driver
        pollItemsRevision = nil
    }

    /// Ends the driver's turns and polls nothing of it again. Called on the thread.
    package func detach() {
        precondition(isCurrent, "a driver is detached on its own thread")
        driver = nil
        poller.removeItems(from: min(1, poller.count))
    }

    // MARK: - Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        if !inbox.append(UnownedJob(job)) { resume() }
    }

    /// Whether the caller is on this thread, in a job or in the driver's turn.
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

    /// Runs what came after the end, on a thread that nobody joins.
    private func resume() {
        do throws(ZeroMQError) {
            try makeThread().detach()
        } catch {
            preconditionFailure("\(error): its last jobs can't run")
        }
    }

    private func run() {
        cascade_name_thread(name)
        leaveSignalsToOthers()
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            runJobs()
            let rest = driver?.turn() ?? .forever
            refreshPollItems()
            let isBusy = rest == .poll || spin(rest)
            switch inbox.fallAsleep(unless: isBusy) {
            case .work: continue
            case .sleep: waitForWork(timeoutMilliseconds: rest.timeoutMilliseconds)
            case .end: if hasEnded() { return }
            }
        }
    }

    private func runJobs() {
        inbox.take(into: &batch)
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        for job in batch { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
        batch.removeAll(keepingCapacity: true)
    }

    private func refreshPollItems() {
        if poller.count == 0 { poller.add(inbox.wakeup) }
        guard let driver, driver.pollItemsRevision != pollItemsRevision else { return }
        pollItemsRevision = driver.pollItemsRevision
        poller.removeItems(from: 1)
        for item in driver.pollItems { poller.add(item) }
    }

    /// The only place where the thread blocks; never inlined, so that profiles show it by name.
    @inline(never)
    private func waitForWork(timeoutMilliseconds: Int) {
        poll(timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Polls without sleeping, for as long as that is wanted; true when there is work.
    private func spin(_ rest: Rest) -> Bool {
        guard spinNanoseconds > 0 else { return false }
        let start = MonotonicClock.now()
        var now = start
        while now - start < spinNanoseconds {
            if rest.isOver(at: now) || poll(timeoutMilliseconds: 0) > 0 { return true }
            if inbox.isWaiting { return true }
            now = MonotonicClock.now()
        }
        return false
    }

    @discardableResult
    private func poll(timeoutMilliseconds: Int) -> Int {
        do throws(ZeroMQError) {
            let readyCount = try poller.wait(
                timeoutMilliseconds: timeoutMilliseconds,
                endsOnActivity: driver?.wakesOnActivity ?? false)
            if poller.isReadable(0) { inbox.acknowledgeWakeup() }
            return readyCount
        } catch {
            // The context was shut down: the driver's next receive says so too. Until it closes
            // its sockets, polling them would only fail again.
            precondition(error.isTermination, "\(name): \(error)")
            poller.removeItems(from: 1)
            return 0
        }
    }

    /// Lets go of the driver, and of the thread unless that brought new jobs. Nothing of the
    /// thread's own state may be touched after true: the next thread may be on it.
    private func hasEnded() -> Bool {
        driver = nil
        poller.removeItems(from: 0)
        return inbox.finish { owner.store(0, ordering: .relaxed) }
    }

    /// Signals go to the program's other threads; only those that a fault raises stay here, where
    /// the fault is.
    private func leaveSignalsToOthers() {
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
