// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// A process on a bus in memory, which runs or has ended.
public actor AttachedProcess {
    /// The paths of its nodes, each node before its children.
    public nonisolated let paths: [NodePath]
    nonisolated let sessionID: SessionID

    private enum State {
        case running([Waiter<Void>])
        case ended((any Error)?)
    }

    private let link: Link
    private let runtime: WorkerRuntime
    private let attached = AsyncStream<Void>.makeStream()
    private let stopped = AsyncStream<Void>.makeStream()
    private var state = State.running([])
    private var wasKilled = false
    private var isEndReported = false

    /// Creates a process. Throws ``CascadeError`` if a name violates the rule for names.
    init(_ process: LoopbackProcess, number: UInt32, on broker: LoopbackBroker) throws {
        sessionID = SessionID(high: 0, low: UInt64(number))
        link = Link(
            session: Session(id: sessionID, program: "process-\(number)", processID: number),
            sharing: broker)
        runtime = try WorkerRuntime(
            nodes: process.nodes, mount: process.mount, link: link, taskExecutor: broker.executor)
        paths = runtime.paths
    }

    // MARK: - For tests

    /// Stops the process as SIGTERM does, and waits until it has finished its accepted work and ended.
    /// Throws the error with which the process ended, if any.
    public func leave() async throws {
        stopped.continuation.finish()
        try await waitUntilEnded()
    }

    /// Ends the process immediately, as SIGKILL does. Its session is lost, and its tasks are cancelled and
    /// can no longer reach the bus.
    public func kill() async {
        wasKilled = true
        await link.close(CascadeError(.notRunning, "the process was killed"))
        stopped.continuation.finish()
    }

    /// Waits until the process has ended. Throws `CascadeError` if its nodes were detached, for example by
    /// a takeover, or the error of a node's task.
    public func waitUntilEnded() async throws {
        isEndReported = true
        try await waitForEnd()
        if case .ended(let error?) = state {
            throw error
        }
    }

    @available(*, deprecated, renamed: "waitUntilEnded()")
    public func end() async throws {
        try await waitUntilEnded()
    }

    private func waitForEnd() async throws {
        if case .running(let waiters) = state {
            try await Waiter.value { state = .running(waiters + [$0]) }
        }
    }

    // MARK: - For the bus

    /// Runs the nodes over a connection until the process is stopped, or fails.
    func run(on broker: LoopbackBroker, processID: UInt32) async {
        let (attached, stopped) = (attached, stopped)
        do {
            await link.open { link in
                LoopbackTransport(link: link, broker: broker, processID: processID)
            }
            try await runtime.run {
                for await _ in stopped.stream {}
            } onAttached: {
                attached.continuation.yield()
            }
            setEnded(nil)
        } catch {
            setEnded(wasKilled ? nil : error)
        }
    }

    private func setEnded(_ error: (any Error)?) {
        attached.continuation.finish()
        guard case .running(let waiters) = state else {
            return
        }
        state = .ended(error)
        for waiter in waiters {
            waiter.resume(with: .success(()))
        }
    }

    /// Waits until the nodes are attached. Throws the error if the process ends before that.
    func waitUntilAttached() async throws {
        for await _ in attached.stream {
            return
        }
        try Task.checkCancellation()
        try await waitUntilEnded()
    }

    /// Stops the process and waits until it has ended. Throws the error with which it ended, unless
    /// ``end()`` has been called.
    func shutDown() async throws {
        stopped.continuation.finish()
        try await waitForEnd()
        if case .ended(let error?) = state, !isEndReported {
            throw error
        }
    }
}

// MARK: - All processes of a bus

/// The processes of a bus in memory, in the order in which they were started.
actor ProcessRoster {
    private struct Entry {
        let process: AttachedProcess
        let number: UInt32
    }

    private enum State {
        case idle
        case running
        case ended
    }

    private var state = State.idle
    private var processes: [AttachedProcess] = []
    private let starts = AsyncStream<Entry>.makeStream()

    /// Marks the bus as running. Throws ``CascadeError`` if it has run before.
    func begin() throws {
        guard state == .idle else {
            throw CascadeError(.notRunning, "a bus in memory can run only once; create another one")
        }
        state = .running
    }

    /// Throws ``CascadeError`` unless the bus runs.
    func checkRunning() throws {
        guard state == .running else {
            throw CascadeError(.notRunning, "the bus runs only during the body of 'run'")
        }
    }

    /// Runs the started processes until the roster is closed and all processes have ended.
    func run(on broker: LoopbackBroker) async {
        await withDiscardingTaskGroup { group in
            for await entry in starts.stream {
                group.addTask {
                    await entry.process.run(on: broker, processID: entry.number)
                }
            }
        }
    }

    /// Starts a process. Throws ``CascadeError`` unless the bus runs.
    func start(
        _ process: LoopbackProcess, on broker: LoopbackBroker
    ) throws -> AttachedProcess {
        try checkRunning()
        let number = UInt32(processes.count + 1)
        let attached = try AttachedProcess(process, number: number, on: broker)
        processes.append(attached)
        starts.continuation.yield(Entry(process: attached, number: number))
        return attached
    }

    func process(of session: SessionID) -> AttachedProcess? {
        processes.first { $0.sessionID == session }
    }

    /// Stops the processes, the last one first. Throws the first error that
    /// ``AttachedProcess/waitUntilEnded()`` has not reported.
    func shutDownAll() async throws {
        var failure: (any Error)?
        for process in processes.reversed() {
            do {
                try await process.shutDown()
            } catch {
                failure = failure ?? error
            }
        }
        if let failure {
            throw failure
        }
    }

    func killAll() async {
        for process in processes {
            await process.kill()
        }
    }

    /// Closes the roster: no more processes can be started.
    func close() {
        state = .ended
        starts.continuation.finish()
    }
}
