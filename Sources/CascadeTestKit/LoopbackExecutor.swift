// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// The executor of a bus in memory: the broker, the links, the tasks of the workers, and the body of the
/// test run on it, one job at a time in the order in which they became ready.
///
/// It knows when all of them wait, because then its queue is empty. Jobs run on a thread that lasts as
/// long as there are jobs.
///
/// Unchecked, because the compiler cannot see that the lock guards the state.
final class LoopbackExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private let lock = Lock()
    private var jobs: [UnownedJob] = []
    private var isRunning = false
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = lock.withLock {
            jobs.append(job)
            defer { isRunning = true }
            return !isRunning
        }
        if mustStart {
            start()
        }
    }

    /// Waits until no job is ready, the caller's own included: all tasks wait for a message, for the
    /// time, or for code that runs elsewhere.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = lock.withLock {
                if isRunning {
                    idleWaiters.append(continuation)
                }
                return !isRunning
            }
            if isIdle {
                continuation.resume()
            }
        }
    }

    private func start() {
        do throws(ZeroMQError) {
            try OwnThread.detached { self.run() }
        } catch {
            preconditionFailure("the bus in memory has no thread: \(error)")
        }
    }

    /// Runs jobs until none is left and no task waits for that.
    private func run() {
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        while let batch = nextBatch() {
            for job in batch {
                job.runSynchronously(isolatedTo: serial, taskExecutor: task)
            }
        }
    }

    /// Returns the ready jobs. Without any, resumes the tasks that wait for that, whose jobs come next.
    /// Returns `nil` when the thread has nothing left to do.
    private func nextBatch() -> [UnownedJob]? {
        let (batch, waiters) = lock.withLock {
            let (batch, waiters) = (jobs, jobs.isEmpty ? idleWaiters : [])
            jobs = []
            if batch.isEmpty {
                idleWaiters = []
                isRunning = !waiters.isEmpty
            }
            return (batch, waiters)
        }
        for waiter in waiters {
            waiter.resume()
        }
        return batch.isEmpty && waiters.isEmpty ? nil : batch
    }
}
