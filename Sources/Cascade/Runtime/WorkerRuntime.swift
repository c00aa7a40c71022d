// SPDX-License-Identifier: Apache-2.0

import CascadeSession
package import Logging

/// The execution of a worker's nodes over any link: it attaches them, runs their responders,
/// subscriptions and tasks, and leaves.
package struct WorkerRuntime: Sendable {
    private let nodes: [PlacedNode]
    package let link: Link
    /// The thread of the session; `nil` where the link runs on an actor.
    let thread: (any TaskExecutor)?
    /// The executor of tasks that the worker starts for its nodes, other than in the structured tasks
    /// of ``run(until:onAttached:)``; `nil` for the concurrent pool.
    let taskExecutor: (any TaskExecutor)?
    let logger: Logger
    /// The names about which a warning has been logged.
    let undecodableNames = UndecodableNames()
    let mailboxes = NodeMailboxes()
    /// Nodes that were attached after the start.
    let arrivals = AsyncStream<[PlacedNode]>.makeStream()

    /// The time limit for a graceful leave, in seconds.
    private static let leaveSeconds = 10

    /// The nodes' paths, outer ones first.
    package var paths: [NodePath] {
        nodes.map(\.path)
    }

    package init(
        nodes: [Node], mount: NodePath, link: Link, on thread: (any TaskExecutor)? = nil,
        taskExecutor: (any TaskExecutor)? = nil, logger: Logger = .silent
    ) throws {
        self.nodes = try PlacedNode.flatten(nodes, under: mount)
        self.link = link
        self.thread = thread
        self.taskExecutor = taskExecutor
        self.logger = logger
        mailboxes.insert(self.nodes.map(\.mailbox))
    }

    /// Serves until `stop` returns, then leaves gracefully; or until the last node leaves or is drained.
    /// Throws ``CascadeError`` if the nodes cannot be attached or are taken out of the tree, and
    /// the error of a node's task.
    ///
    /// - Parameters:
    ///   - stop: Returns when it is time to leave.
    ///   - onAttached: Called once, when the nodes are in the tree.
    package func run(
        until stop: @escaping @Sendable () async -> Void,
        onAttached: @escaping @Sendable () -> Void = {}
    ) async throws {
        try await withThrowingTaskGroup(of: Ending.self) { group in
            // The work comes from the thread and returns to it, so it stays there in between.
            group.addTask(executorPreference: thread) { try await dispatch() }
            serve(nodes, in: &group)
            defer {
                arrivals.continuation.finish()
                group.cancelAll()
            }
            do {
                try await attach(into: &group, until: stop, onAttached)
                arrivals.continuation.finish()
                try await leave()
                await link.close(CascadeError(.notRunning, "the worker has left the tree"))
            } catch {
                // Tasks that still wait for the bus would keep the group from ending.
                await link.close(CascadeError(.notRunning, "the worker has failed"))
                throw error
            }
        }
    }

    /// Attaches the nodes and runs their tasks. Returns when `stop` does, attached or not.
    private func attach(
        into group: inout ThrowingTaskGroup<Ending, any Error>,
        until stop: @escaping @Sendable () async -> Void, _ onAttached: @Sendable () -> Void
    ) async throws {
        group.addTask {
            await stop()
            return .stopped
        }
        group.addTask {
            try await attachFirst()
            return .attached
        }
        group.addTask { await nextArrival() }
        while let ending = try await group.next() {
            switch ending {
            case .stopped:
                return
            case .finished:
                continue
            case .attached:
                onAttached()
                performTasks(of: nodes, in: &group)
            case .arrived(let nodes):
                serve(nodes, in: &group)
                performTasks(of: nodes, in: &group)
                group.addTask { await nextArrival() }
            }
        }
    }

    /// Attaches the nodes with which the worker begins. The bus refuses an unreadable declaration and an
    /// oversized value at each start, so those are configuration errors.
    private func attachFirst() async throws {
        do {
            try await attach(nodes)
        } catch let error as CascadeError where error.isUnreadableDeclaration {
            throw CascadeError(.configuration, error.message, reason: error.reason)
        } catch let error as CascadeError where error.reason == .limitReached {
            // The bus may have room for the nodes later, but never for an oversized value.
            guard let sentence = await link.oversizedValue(of: nodes.map(\.declaration)) else {
                throw error
            }
            throw CascadeError(.configuration, sentence, reason: error.reason)
        }
    }

    /// Attaches nodes. When it returns, the values of their watched keys have arrived.
    func attach(_ nodes: [PlacedNode]) async throws {
        try await link.attach(nodes.map(\.declaration), names: [])
        for node in nodes {
            try await node.mailbox.environment.arrival()
        }
    }

    /// The reason why a task of the worker ended.
    enum Ending: Sendable {
        case attached
        /// More nodes were attached.
        case arrived([PlacedNode])
        case finished
        case stopped
    }

    private func nextArrival() async -> Ending {
        for await nodes in arrivals.stream {
            return .arrived(nodes)
        }
        return .finished
    }

    private func dispatch() async throws -> Ending {
        var dispatcher = Dispatcher(link, mailboxes, logger)
        try await dispatcher.run()
        return .stopped
    }

    // MARK: - Leaving

    /// Leaves the tree when the nodes have finished their work, at the latest after
    /// ``leaveSeconds``.
    private func leave() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await link.leave() }
            group.addTask {
                try await Task.sleep(for: .seconds(Self.leaveSeconds))
                let error = CascadeError(
                    .notRunning, "the nodes did not finish within \(Self.leaveSeconds) s")
                await link.close(error)
                throw error
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Nodes that are attached while the worker runs.
extension WorkerRuntime {
    /// Returns the runtime and place of the running code. Throws ``CascadeError`` outside a node's
    /// code.
    static func running(
        _ runtime: WorkerRuntime?, _ place: NodePlace?
    ) throws -> (WorkerRuntime, NodePlace) {
        guard let runtime, let place else {
            throw CascadeError.outsideNode
        }
        return (runtime, place)
    }

    /// Attaches a node, with the nodes inside it, to this worker's session.
    func attach(_ node: Node, under parent: NodePath) async throws -> AttachedNode {
        let nodes = try PlacedNode.flatten([node], under: parent)
        let added = nodes.map(\.mailbox)
        // The bus also refuses a path of another node of this worker, but only after its mailbox
        // would have been replaced.
        for mailbox in added where mailboxes[mailbox.place.path] != nil {
            throw CascadeError(
                .refused, "the path '\(mailbox.place.path)' is held by this process",
                reason: .pathTaken)
        }
        // Visits may arrive before the answer.
        mailboxes.insert(added)
        do {
            try await attach(nodes)
        } catch {
            for mailbox in added {
                _ = mailboxes.remove(mailbox.place.path)
            }
            throw error
        }
        guard case .enqueued = arrivals.continuation.yield(nodes) else {
            throw CascadeError(.notRunning, "the worker is leaving")
        }
        return AttachedNode(runtime: self, mailboxes: added)
    }
}

/// Outcomes of durable events that earlier sessions triggered.
extension WorkerRuntime {
    func receiveOutcomes(
        of nodes: [PlacedNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes where !node.node.outcomeReceivers.isEmpty {
            group.addTask { await receiveOutcomes(of: node) }
        }
    }

    /// Confirms each outcome after its receivers have returned. The bus may repeat an outcome after
    /// a reconnect; repetitions are confirmed without another call.
    private func receiveOutcomes(of node: PlacedNode) async -> Ending {
        var received: Set<EventID> = []
        for await settled in node.mailbox.outcomes {
            guard let outcome = DurableOutcome(settled) else {
                continue
            }
            if received.insert(outcome.id).inserted {
                let values = EnvironmentValues(runningNode: RunningNode(node.mailbox, self))
                await EnvironmentValues.$current.withValue(values) {
                    for receive in node.node.outcomeReceivers {
                        await receive(outcome)
                    }
                }
            }
            await link.confirm(outcome.id)
        }
        return .finished
    }
}
