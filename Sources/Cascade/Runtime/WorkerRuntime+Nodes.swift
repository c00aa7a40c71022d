// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Logging

/// Execution of the nodes' responders, subscriptions and tasks.
extension WorkerRuntime {
    func serve(
        _ nodes: [FlatNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes {
            group.addTask { await serve(node) }
        }
        receiveOutcomes(of: nodes, in: &group)
    }

    /// Processes the messages of one node, at most its `concurrency` at a time.
    private func serve(_ node: FlatNode) async -> Ending {
        guard node.node.concurrency > 1 else {
            for await assignment in node.mailbox.assignments {
                await take(assignment, at: node)
            }
            return .finished
        }
        await withDiscardingTaskGroup { group in
            for await assignment in node.mailbox.assignments {
                group.addTask { await take(assignment, at: node) }
            }
        }
        return .finished
    }

    private func take(_ assignment: Mailbox.Assignment, at node: FlatNode) async {
        guard let cancellation = assignment.cancellation else {
            await run(assignment, at: node)
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await run(assignment, at: node) }
            group.addTask {
                for await _ in cancellation {}
            }
            // The first to finish, result or cancellation, ends the other.
            await group.next()
            group.cancelAll()
        }
    }

    private func run(_ assignment: Mailbox.Assignment, at node: FlatNode) async {
        let start = ContinuousClock.now
        let values = EnvironmentValues(
            surroundings: NodeSurroundings(node.mailbox, self),
            visit: VisitContext(assignment.visit))
        let result = await EnvironmentValues.$current.withValue(values) {
            await VisitSpan.run(assignment.visit) { await self.result(of: assignment, at: node) }
        }
        let elapsed = (ContinuousClock.now - start).components
        let microseconds =
            elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
        await link.finished(
            assignment.invocation.token, result, microseconds: UInt32(clamping: microseconds))
    }

    private func result(
        of assignment: Mailbox.Assignment, at node: FlatNode
    ) async -> InvocationResult {
        let visit = assignment.visit
        do {
            switch assignment.invocation.target {
            case .responder(let index):
                guard node.node.responders.indices.contains(index) else {
                    return .passed
                }
                return try await node.node.responders[index].run(visit)
            case .subscription:
                let name = visit.name.description
                for subscription in node.node.subscriptions where subscription.name == name {
                    try await subscription.run(visit)
                }
                return .handled
            }
        } catch let error as UnreadObservation {
            warn(about: error, of: visit)
            return .passed
        } catch {
            return InvocationResult(thrown: error)
        }
    }

    private func warn(about error: UnreadObservation, of visit: Visit) {
        if unread.insert(visit.name, at: visit.node) {
            logger.warning(
                "\(visit.node) cannot observe \(visit.name) (logged once): \(error.cause)")
        }
    }

    // MARK: - Tasks

    func performTasks(
        of nodes: [FlatNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes where !node.node.tasks.isEmpty {
            group.addTask { try await performTasks(of: node) }
        }
    }

    /// Runs the tasks of one node until they end or the node leaves the tree.
    private func performTasks(of node: FlatNode) async throws -> Ending {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in node.node.tasks {
                group.addTask {
                    try await perform(task, at: node)
                    return true
                }
            }
            group.addTask {
                // The reason for the departure does not matter here.
                try? await node.mailbox.departure.wait()
                return false
            }
            var remaining = node.node.tasks.count
            while remaining > 0, let isTask = try await group.next(), isTask {
                remaining -= 1
            }
            group.cancelAll()
        }
        return .finished
    }

    private func perform(
        _ task: @escaping @Sendable () async throws -> Void, at node: FlatNode
    ) async throws {
        do {
            let values = EnvironmentValues(surroundings: NodeSurroundings(node.mailbox, self))
            try await EnvironmentValues.$current.withValue(values) {
                try await task()
            }
        } catch is CancellationError {
            // The node is leaving.
        }
    }
}
