// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The code of the nodes: their responders, subscriptions and tasks.
extension WorkerRuntime {
    /// Runs what comes for one node; as many at a time as it allows.
    func serve(_ node: FlatNode, _ assignments: AsyncStream<Assignment>) async -> Ending {
        guard node.node.concurrency > 1 else {
            for await assignment in assignments {
                await run(assignment, at: node)
            }
            return .finished
        }
        await withDiscardingTaskGroup { group in
            for await assignment in assignments {
                group.addTask { await run(assignment, at: node) }
            }
        }
        return .finished
    }

    private func run(_ assignment: Assignment, at node: FlatNode) async {
        let start = ContinuousClock.now
        var values = EnvironmentValues()
        values.node = node.path
        values.link = link
        values.visit = VisitContext(assignment.visit)
        let result = await EnvironmentValues.$current.withValue(values) {
            await self.result(of: assignment, at: node)
        }
        let elapsed = (ContinuousClock.now - start).components
        let microseconds =
            elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
        await link.finished(
            assignment.invocation.token, result, microseconds: UInt32(clamping: microseconds))
    }

    private func result(of assignment: Assignment, at node: FlatNode) async -> InvocationResult {
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
        } catch {
            return .failed(Failure(thrown: error))
        }
    }

    /// Runs the tasks of one node, at most until it is taken out of the tree.
    func performTasks(
        of node: FlatNode, until departure: AsyncStream<Never>
    ) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending.self) { group in
            for task in node.node.tasks {
                group.addTask { try await perform(task, at: node.path) }
            }
            group.addTask {
                for await _ in departure {}
                return .stopped
            }
            var remaining = node.node.tasks.count
            while remaining > 0, let ending = try await group.next(), ending != .stopped {
                remaining -= 1
            }
            group.cancelAll()
        }
        return .finished
    }

    private func perform(
        _ task: @escaping @Sendable () async throws -> Void, at path: NodePath
    ) async throws -> Ending {
        var values = EnvironmentValues()
        values.node = path
        values.link = link
        do {
            try await EnvironmentValues.$current.withValue(values) { try await task() }
        } catch is CancellationError {
            // The node is leaving.
        }
        return .finished
    }
}

extension Failure {
    /// An error that a responder threw: its type's name is what responders above can match.
    init(thrown error: any Error) {
        if let failure = error as? Failure {
            self = failure
            return
        }
        let name = try? EventName(String(describing: type(of: error)))
        // A generic type's name breaks the rule for names; then the bus's own name has to do.
        self.init(
            name: name ?? EventName(ErrorCode.responderFailed), message: String(describing: error))
    }
}
