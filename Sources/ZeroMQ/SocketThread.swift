// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc
import Synchronization

/// The thread that sockets live on, as an executor that actors and tasks can be pinned to.
///
/// One loop: run the jobs that came in, give the driver its turn, sleep in `zmq_poll` until a
/// socket, a deadline or a new job ends the sleep. A job costs a wakeup of the thread only if it
/// sleeps.
///
/// Unchecked, because the compiler can't see the two owners of the state: what other threads touch
/// is under `lock`, and everything else is touched by the running thread alone.
package final class SocketThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// How long the thread may sleep after a turn. Jobs and ready sockets always end the sleep.
    package enum Rest: Sendable, Equatable {
        /// Not at all: there is more to do at once.
        case poll
        /// Until this `MonotonicClock` instant, in nanoseconds; whole milliseconds, rounded up.
        case until(UInt64)
        case forever
    }

    /// idle → running (start) → stopping (stop) → stopped (nothing left to run) → stopping (a job
    /// came late).
    private enum Phase {
        case idle, running, stopping, stopped
    }

    package let name: String
    private let spinNanoseconds: UInt64

    // Under the lock.
    private let lock = Lock()
    private var inbox: [UnownedJob] = []
    private var phase = Phase.idle
    private var isSleeping = false
    /// The eventfd that ends a sleep; written only to a sleeping thread.
    private var wakeup: Int32 = -1

    // Under the joining lock.
    private let joining = Lock()
    private var thread: pthread_t?

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

    deinit {
        if wakeup >= 0 { close(wakeup) }
    }

    // MARK: - Life

    /// Starts the thread, once. It keeps itself and its driver alive until `stop()`.
    package func start(
        driver: (any SocketThreadDriver & Sendable)? = nil
    ) throws(ZeroMQError) {
        let descriptor = cascade_eventfd_create()
        guard descriptor >= 0 else {
            throw ZeroMQError(code: errno, operation: "start thread \(name)")
        }
        lock.withLock {
            precondition(phase == .idle, "thread \(name) was started before")
            wakeup = descriptor
            phase = .running
        }
        self.driver = driver
        try joining.withLock { () throws(ZeroMQError) in
            do throws(ZeroMQError) {
                thread = try makeThread()
            } catch {
                self.driver = nil
                lock.withLock {
                    wakeup = -1
                    phase = .idle
                }
                close(descriptor)
                throw error
            }
        }
    }

    /// Runs the jobs that are there, ends the thread and waits for its end. To be called from
    /// another thread, as often as one likes; what the driver owns must be closed by then.
    ///
    /// Jobs that come later still run, one after another, on a thread that lives for them alone:
    /// a task that asks a stopped actor something gets its answer instead of hanging for ever.
    package func stop() {
        precondition(!isCurrent, "thread \(name) can't wait for its own end")
        let (descriptor, isStranded) = lock.withLock { () -> (Int32, Bool) in
            switch phase {
            case .idle:
                phase = inbox.isEmpty ? .stopped : .stopping
                return (-1, phase == .stopping)
            case .running:
                phase = .stopping
                defer { isSleeping = false }
                return (isSleeping ? wakeup : -1, false)
            case .stopping, .stopped:
                return (-1, false)
            }
        }
        if descriptor >= 0 { cascade_eventfd_write(descriptor) }
        if isStranded { resume() }
        joining.withLock {
            if let thread { pthread_join(thread, nil) }
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
        let job = UnownedJob(job)
        let (descriptor, isLate) = lock.withLock { () -> (Int32, Bool) in
            inbox.append(job)
            if phase == .stopped {
                phase = .stopping
                return (-1, true)
            }
            defer { isSleeping = false }
            return (isSleeping ? wakeup : -1, false)
        }
        if descriptor >= 0 { cascade_eventfd_write(descriptor) }
        if isLate { resume() }
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
    private func makeThread() throws(ZeroMQError) -> pthread_t {
        var thread = pthread_t()
        let retained = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<SocketThread>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, retained.toOpaque())
        guard result == 0 else {
            retained.release()
            throw ZeroMQError(code: result, operation: "start thread \(name)")
        }
        return thread
    }

    /// Runs what came after the end, on a thread that nobody joins.
    private func resume() {
        do throws(ZeroMQError) {
            pthread_detach(try makeThread())
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
            if rest == .poll || spin(rest) { continue }
            switch fallAsleep() {
            case .work: continue
            case .sleep: waitForWork(timeoutMilliseconds: rest.timeoutMilliseconds)
            case .end: if hasEnded() { return }
            }
        }
    }

    private func runJobs() {
        lock.withLock {
            isSleeping = false
            swap(&inbox, &batch)
        }
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        for job in batch { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
        batch.removeAll(keepingCapacity: true)
    }

    private func refreshPollItems() {
        if poller.count == 0 { poller.add(.fileDescriptor(wakeup)) }
        guard let driver, driver.pollItemsRevision != pollItemsRevision else { return }
        pollItemsRevision = driver.pollItemsRevision
        poller.removeItems(from: 1)
        for item in driver.pollItems { poller.add(item) }
    }

    private enum Sleepiness {
        case work, sleep, end
    }

    /// From here to the wakeup, whoever brings a job writes the eventfd.
    private func fallAsleep() -> Sleepiness {
        lock.withLock {
            if !inbox.isEmpty { return .work }
            if phase == .stopping { return .end }
            isSleeping = true
            return .sleep
        }
    }

    /// The only place where the thread blocks; never inlined, so that profiles show it by name.
    @inline(never)
    private func waitForWork(timeoutMilliseconds: Int) {
        poll(timeoutMilliseconds: timeoutMilliseconds)
        if poller.isReadable(0) { cascade_eventfd_read(wakeup) }
    }

    /// Polls without sleeping, for as long as that is wanted; true when there is work.
    private func spin(_ rest: Rest) -> Bool {
        guard spinNanoseconds > 0 else { return false }
        let start = MonotonicClock.now()
        var now = start
        while now - start < spinNanoseconds {
            if rest.isOver(at: now) || poll(timeoutMilliseconds: 0) > 0 { return true }
            let isWanted = lock.withLock { !inbox.isEmpty || phase == .stopping }
            if isWanted { return false }
            now = MonotonicClock.now()
        }
        return false
    }

    @discardableResult
    private func poll(timeoutMilliseconds: Int) -> Int {
        do throws(ZeroMQError) {
            return try poller.wait(timeoutMilliseconds: timeoutMilliseconds)
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
        return lock.withLock {
            guard inbox.isEmpty else { return false }
            owner.store(0, ordering: .relaxed)
            phase = .stopped
            return true
        }
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
