// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// A bus in memory, for the tests of workers: no daemon, no sockets, and time stands still unless
/// you move it.
///
///     let bus = LoopbackBus { Shop() }
///     try await bus.run { bus in
///         let event = try await bus.trigger(ItemSelected(item: 7), at: "/shop/storefront/cart")
///         #expect(try await event.outcome == .handled(by: "/shop/storefront"))
///     }
///
/// It decides what the daemon decides, by the same code; the workers' side is what it is in a
/// process of its own. A bus runs once.
public final class LoopbackBus: Sendable {
    let broker: LoopbackBroker
    private let processes: [LoopbackProcess]
    private let clock: VirtualClock
    private let roster: ProcessRoster

    /// Raises what a test raises.
    private let link: Link

    /// A bus on which each worker, and each node, is a process of its own.
    ///
    /// - Parameters:
    ///   - processes: workers, and nodes, in the order in which they start.
    ///   - clock: the clock that ``advance(by:)`` moves, for workers that sleep.
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

    /// A bus with one process that holds these nodes.
    public convenience init(
        clock: VirtualClock = VirtualClock(), mount: NodePath, @NodeBuilder nodes: () -> [Node]
    ) {
        self.init(clock: clock) { LoopbackProcess(mount: mount, nodes: nodes) }
    }

    // MARK: - Running

    /// Attaches the processes one after the other, runs `body`, and has the processes leave, the
    /// last one first.
    ///
    /// Throws what `body` throws, what keeps a process from attaching, and what a process has
    /// failed with, unless `body` has waited for its ``AttachedProcess/end()``.
    @discardableResult
    public func run<Result: Sendable>(
        _ body: (LoopbackBus) async throws -> Result
    ) async throws -> Result {
        try await roster.begin()
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
                try await roster.dismissAll()
                await close()
                return result
            } catch {
                await roster.killAll()
                await close()
                throw error
            }
        }
    }

    /// What speaks for the test. Throws ``CascadeError`` unless the bus runs.
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

    /// Starts another process and waits until its nodes stand in the tree.
    @discardableResult
    public func attach(_ worker: some Worker) async throws -> AttachedProcess {
        try await attach(LoopbackProcess(worker))
    }

    /// Starts another process, of these nodes, and waits until they stand in the tree.
    @discardableResult
    public func attach(
        mount: NodePath = .root, @NodeBuilder nodes: () -> [Node]
    ) async throws -> AttachedProcess {
        try await attach(LoopbackProcess(mount: mount, nodes: nodes))
    }

    @discardableResult
    private func attach(_ process: LoopbackProcess) async throws -> AttachedProcess {
        let attached = try await roster.start(process, on: broker)
        try await attached.standing()
        return attached
    }

    /// The process that holds a path. Throws `CascadeError` if none does.
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

    /// Kills the process that holds a path, see ``AttachedProcess/kill()``.
    public func kill(_ path: NodePath) async throws {
        try await process(at: path).kill()
    }

    /// The nodes that stand in the tree, depth first.
    public var nodes: [NodePath] {
        get async throws {
            let query = Query.Subject.tree(path: .root, depth: .max)
            let answer = try await TreeAnswer(parsing: runningLink().query(query))
            return answer.nodes.filter { $0.holder != nil && !$0.path.isRoot }.map(\.path)
        }
    }

    // MARK: - The bus itself

    /// Lets time pass: deadlines pass, vacant places go, and whoever sleeps on the bus's clock
    /// wakes up, each at its time.
    public func advance(by duration: Duration) async {
        await broker.advance(by: duration)
    }

    /// Puts rules in the place of those that a real daemon has from its files. Throws
    /// `CascadeError`, which says where they are wrong; then those before stay.
    ///
    /// A restart of the daemon forgets them.
    public func load(_ rules: Rules) async throws {
        if let sentence = await broker.load(rules.description) {
            throw CascadeError(.refused, sentence, reason: .badRule)
        }
    }

    /// Ends the daemon, as it were, and starts it again: every connection breaks, and the processes
    /// come back by themselves. When this returns, they have.
    ///
    /// As with the real one, what would end unhandled, or without a subscriber, then waits for two
    /// seconds in case somebody comes back who takes it.
    public func restart() async {
        await broker.restart()
    }
}
