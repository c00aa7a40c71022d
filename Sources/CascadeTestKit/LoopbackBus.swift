// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// A bus in memory for tests of workers. It needs no daemon and no sockets, and its time advances only in
/// ``advance(by:)``.
///
///     let bus = LoopbackBus { Shop() }
///     try await bus.run { bus in
///         let event = try await bus.trigger(ItemSelected(item: 7), from: "/shop/storefront/cart")
///         #expect(try await event.outcome == .handled(by: "/shop/storefront"))
///     }
///
/// The broker is that of the daemon, and workers run the same code as in a process of their own. A bus can
/// run only once.
public final class LoopbackBus: Sendable {
    let broker: LoopbackBroker
    private let processes: [LoopbackProcess]
    private let clock: VirtualClock
    private let roster: ProcessRoster

    /// The link of the test itself.
    private let link: Link

    /// Creates a bus on which each worker, and each node, is a separate process.
    ///
    /// - Parameters:
    ///   - clock: The clock that ``advance(by:)`` advances, for workers that sleep.
    ///   - processes: The workers and nodes, in the order in which they start.
    public init(
        clock: VirtualClock = VirtualClock(), @ProcessBuilder processes: () -> [LoopbackProcess]
    ) {
        self.clock = clock
        self.processes = processes()
        broker = LoopbackBroker(clock: clock)
        roster = ProcessRoster()
        link = Link(
            session: Session(id: SessionID(high: 1, low: 0), program: "test", processID: 0),
            sharing: broker)
    }

    /// Creates a bus with one process that holds these nodes.
    public convenience init(
        clock: VirtualClock = VirtualClock(), mount: NodePath, @NodeBuilder nodes: () -> [Node]
    ) {
        self.init(clock: clock) { LoopbackProcess(mount: mount, nodes: nodes) }
    }

    // MARK: - Running

    /// Attaches the processes one after the other, runs `body`, and stops the processes, the last one
    /// first. Returns the result of `body`.
    ///
    /// The processes and `body` run on one thread, in the order in which they become ready. Code that
    /// blocks the thread blocks the bus.
    ///
    /// Throws the error of `body`, the error that keeps a process from attaching, and the error of
    /// a process that has failed, unless `body` has called its ``AttachedProcess/waitUntilEnded()``.
    @discardableResult
    public func run<Result: Sendable>(
        _ body: (LoopbackBus) async throws -> Result
    ) async throws -> Result {
        try await roster.begin()
        // The child tasks, those of the workers and of `body` included, inherit the preference.
        return try await withTaskExecutorPreference(broker.executor) {
            try await runOnExecutor(body)
        }
    }

    private func runOnExecutor<Result: Sendable>(
        _ body: (LoopbackBus) async throws -> Result
    ) async throws -> Result {
        let (broker, roster) = (broker, roster)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in broker.wakeUps {
                    await broker.deliver()
                }
            }
            group.addTask { await roster.run(on: broker) }
            do {
                await link.open { LoopbackTransport(link: $0, broker: broker, processID: 0) }
                for process in processes {
                    try await attach(process)
                }
                let result = try await body(self)
                try await roster.shutDownAll()
                await close()
                return result
            } catch {
                await roster.killAll()
                await close()
                throw error
            }
        }
    }

    /// Returns the link of the test. Throws ``CascadeError`` unless the bus runs.
    func runningLink() async throws -> Link {
        try await roster.checkRunning()
        return link
    }

    private func close() async {
        await link.close(CascadeError(.notRunning, "the bus has ended"))
        await roster.close()
        await broker.close()
    }

    // MARK: - Processes

    /// Starts another process, and waits until its nodes are in the tree. Throws `CascadeError` if
    /// the bus refuses them or does not run.
    @discardableResult
    public func attach(_ worker: some Worker) async throws -> AttachedProcess {
        try await attach(LoopbackProcess(worker))
    }

    /// Starts another process with these nodes, and waits until they are in the tree. Throws
    /// `CascadeError` if the bus refuses them or does not run.
    @discardableResult
    public func attach(
        mount: NodePath = .root, @NodeBuilder nodes: () -> [Node]
    ) async throws -> AttachedProcess {
        try await attach(LoopbackProcess(mount: mount, nodes: nodes))
    }

    @discardableResult
    private func attach(_ process: LoopbackProcess) async throws -> AttachedProcess {
        let attached = try await roster.start(process, on: broker)
        try await attached.waitUntilAttached()
        return attached
    }

    /// Returns the process that holds a path. Throws `CascadeError` if the path has no holder.
    public func process(at path: NodePath) async throws -> AttachedProcess {
        let query = Query.Subject.tree(path: path, depth: 0)
        let answer = try await TreeAnswer(parsing: runningLink().query(query))
        guard let holder = answer.nodes.first?.holder,
            let process = await roster.process(of: holder.session)
        else {
            throw CascadeError(.refused, "no process holds '\(path)'", reason: .noSuchNode)
        }
        return process
    }

    /// Kills the process that holds a path, see ``AttachedProcess/kill()``. Throws `CascadeError` if
    /// none does.
    public func kill(_ path: NodePath) async throws {
        try await process(at: path).kill()
    }

    /// The nodes in the tree, depth first. Throws `CascadeError` unless the bus runs.
    public var nodes: [NodePath] {
        get async throws {
            let query = Query.Subject.tree(path: .root, depth: .max)
            let answer = try await TreeAnswer(parsing: runningLink().query(query))
            return answer.nodes.filter { $0.holder != nil && !$0.path.isRoot }.map(\.path)
        }
    }

    // MARK: - The bus itself

    /// Advances the time. Deadlines expire, vacant places are removed, and tasks that sleep on the
    /// bus's clock wake up, each at its time.
    ///
    /// Before the time advances, and after each of these, all tasks of the bus run until they wait.
    /// Detached tasks and other threads are not waited for.
    public func advance(by duration: Duration) async {
        await broker.advance(by: duration)
    }

    /// Replaces the bus's rules, which a daemon reads from its files. Throws `CascadeError` with the
    /// position of the fault if the rules are invalid; then the previous rules remain.
    ///
    /// ``restart()`` discards the rules.
    public func load(_ rules: Rules) async throws {
        if let sentence = await broker.load(rules.description) {
            throw CascadeError(.refused, sentence, reason: .badRule)
        }
    }

    /// Restarts the daemon. All connections break. Returns when the processes have reconnected.
    ///
    /// As after a real restart, a message that would end unhandled or without a subscriber waits two
    /// seconds for nodes that reattach.
    public func restart() async {
        await broker.restart()
    }
}

extension LoopbackBus {
    /// Returns the node or vacant place at a path, with its declarations; `nil` for neither.
    package func snapshot(of path: NodePath) async throws -> NodeSnapshot? {
        let query = Query.Subject.tree(path: path, depth: 0)
        return try await TreeAnswer(parsing: runningLink().query(query)).nodes.first
    }
}
