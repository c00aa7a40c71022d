// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// A process on a bus in memory, running or ended.
public actor AttachedProcess {
    /// The paths of its nodes, outer ones first.
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
    private var isEndHeard = false

    /// Throws ``CascadeError`` if a name violates the rule for names.
    init(_ process: LoopbackProcess, number: UInt32, on broker: LoopbackBroker) throws {
        sessionID = SessionID(high: 0, low: UInt64(number))
        link = Link(
            session: Session(id: sessionID, program: "process-\(number)", processID: number),
            sharing: broker)
        runtime = try WorkerRuntime(nodes: process.nodes, mount: process.mount, link: link)
        paths = runtime.paths
    }

    // MARK: - For tests

    /// Asks the process to leave, as SIGTERM does, and waits until it has finished its accepted
    /// work. Throws the error with which it ended, if any.
    public func leave() async throws {
        stopped.continuation.finish()
        try await end()
    }

    /// Ends the process at once, as SIGKILL does: its session is lost. Its running code is
    /// cancelled, and cannot reach the bus any more.
    public func kill() async {
        wasKilled = true
        await link.close(CascadeError(.notRunning, "the process was killed"))
        stopped.continuation.finish()
    }

    /// Waits until the process has ended. Throws `CascadeError` if it was taken out of the tree,
    /// for example by a takeover, and the error of a node's task.
    public func end() async throws {
        isEndHeard = true
        try await ended()
        if case .ended(let error?) = state {
            throw error
        }
    }

    private func ended() async throws {
        if case .running(let waiters) = state {
            try await Waiter.value { state = .running(waiters + [$0]) }
        }
    }

    // MARK: - For the bus

    /// Serves the nodes over a connection until the process is asked to leave, or fails.
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
            noteEnd(nil)
        } catch {
            noteEnd(wasKilled ? nil : error)
        }
    }

    private func noteEnd(_ error: (any Error)?) {
        attached.continuation.finish()
        guard case .running(let waiters) = state else {
            return
        }
        state = .ended(error)
        for waiter in waiters {
            waiter.resume(with: .success(()))
        }
    }

    /// Waits until the nodes are in the tree. Throws the error with which the process ended before
    /// that.
    func standing() async throws {
        for await _ in attached.stream {
            return
        }
        try Task.checkCancellation()
        try await end()
    }

    /// Asks the process to leave and waits until it has. Throws the error with which it ended,
    /// unless ``end()`` has been called.
    func dismiss() async throws {
        stopped.continuation.finish()
        try await ended()
        if case .ended(let error?) = state, !isEndHeard {
            throw error
        }
    }
}
