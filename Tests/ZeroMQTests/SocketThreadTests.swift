// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import ZeroMQ

@Suite struct SocketThreadTests {
    /// Counts on the thread it is pinned to.
    private actor Counter {
        let thread: SocketThread
        private(set) var count = 0

        init(on thread: SocketThread) { self.thread = thread }

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        func increment() -> Bool {
            count += 1
            return thread.isCurrent
        }
    }

    @Test(arguments: [0, 50_000] as [UInt64])
    func `an actor's jobs run on its thread, from however many tasks`(spin: UInt64) async throws {
        let thread = SocketThread(name: "test-counter", spinNanoseconds: spin)
        try thread.start()
        let counter = Counter(on: thread)
        let areAllOnThread = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    var isOnThread = true
                    for _ in 0..<20 { isOnThread = await counter.increment() && isOnThread }
                    return isOnThread
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(areAllOnThread)
        #expect(await counter.count == 4_000)
        #expect(!thread.isCurrent)
        thread.stop()
    }

    @Test func `a task can run on the thread`() async throws {
        let thread = SocketThread(name: "test-task")
        try thread.start()
        let counter = Counter(on: thread)
        let wasThere = await Task(executorPreference: thread) {
            let isBefore = thread.isCurrent
            let isInside = await counter.increment()
            return isBefore && isInside && thread.isCurrent
        }.value
        #expect(wasThere)
        thread.stop()
    }

    @Test func `a job that takes long is reported`() async throws {
        let thread = SocketThread(name: "test-long")
        try thread.start()
        let (reports, continuation) = AsyncStream.makeStream(of: UInt64.self)
        await Task(executorPreference: thread) {
            thread.reportJobs(longerThan: 1_000_000) { continuation.yield($0) }
        }.value
        await Task(executorPreference: thread) {
            let end = MonotonicClock.now() + 2_000_000
            while MonotonicClock.now() < end {}
        }.value
        let first = await reports.first { _ in true }
        #expect(first ?? 0 > 1_000_000)
        thread.stop()
    }

    @Test func `jobs enqueued before the start run after it`() async throws {
        let thread = SocketThread(name: "test-early")
        let counter = Counter(on: thread)
        async let isOnThread = counter.increment()
        try thread.start()
        #expect(await isOnThread)
        thread.stop()
    }

    // A daemon that shuts down still receives calls, which must not hang.
    @Test func `jobs enqueued after the stop run one after another`() async throws {
        let thread = SocketThread(name: "test-late")
        try thread.start()
        let counter = Counter(on: thread)
        thread.stop()
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { #expect(await counter.increment()) } }
        }
        #expect(await counter.count == 200)
        thread.stop()
    }

    @Test func `stopping is idempotent and possible before the start`() throws {
        let started = SocketThread(name: "test-stop")
        try started.start()
        started.stop()
        started.stop()
        SocketThread(name: "test-idle").stop()
    }

    @Test(arguments: [0, 50_000] as [UInt64], [SocketThread.Rest.poll, .forever])
    func `a stopped thread releases its driver, even a busy one`(
        spin: UInt64, rest: SocketThread.Rest
    ) throws {
        let thread = SocketThread(name: "test-release", spinNanoseconds: spin)
        weak var released: RestingDriver?
        do {
            let driver = RestingDriver(rest)
            released = driver
            try thread.start(driver: driver)
        }
        thread.stop()
        #expect(released == nil)
    }

    private final class RestingDriver: SocketThreadDriver, Sendable {
        let rest: SocketThread.Rest
        init(_ rest: SocketThread.Rest) { self.rest = rest }
        func turn() -> SocketThread.Rest { rest }
        var pollItems: [PollItem] { [] }
    }
}
