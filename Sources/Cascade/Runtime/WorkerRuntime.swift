// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Glibc
package import Logging

/// Serves a worker's nodes over a link, whatever carries it: attaches them, runs their responders,
/// subscriptions and tasks, and leaves.
package struct WorkerRuntime: Sendable {
    private let nodes: [FlatNode]
    private let link: Link
    private let logger: Logger

    /// How long a graceful leave may take before the worker ends all the same.
    private static let leaveSeconds = 10

    package init(nodes: [Node], mount: NodePath, link: Link, logger: Logger) throws {
        self.nodes = try FlatNode.flatten(nodes, under: mount)
        self.link = link
        self.logger = logger
    }

    /// Serves until `stop` ends, then leaves gracefully. Throws ``CascadeError`` if the nodes cannot
    /// be attached or are taken out of the tree, and whatever a node's task throws.
    ///
    /// - Parameter onAttached: called once the nodes stand in the tree.
    package func run(
        until stop: @escaping @Sendable () async -> Void,
        onAttached: @escaping @Sendable () -> Void = {}
    ) async throws {
        let mailboxes = Mailboxes(nodes.map(\.path))
        try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask { try await dispatch(into: mailboxes) }
            for node in nodes {
                group.addTask { await serve(node, mailboxes.stream(of: node.path)) }
            }
            defer {
                mailboxes.finish()
                group.cancelAll()
            }
            do {
                try await attach(into: &group, until: stop, onAttached)
                try await leave()
                await link.close(CascadeError(.notRunning, "the worker has left the tree"))
            } catch {
                // Whoever still waits for the bus would keep the group from ending.
                await link.close(CascadeError(.notRunning, "the worker has failed"))
                throw error
            }
        }
    }

    /// Attaches the nodes and runs their tasks; returns when `stop` does, attached or not.
    private func attach(
        into group: inout ThrowingTaskGroup<Ending, any Error>,
        until stop: @escaping @Sendable () async -> Void, _ onAttached: @Sendable () -> Void
    ) async throws {
        group.addTask {
            await stop()
            return .stopped
        }
        group.addTask {
            try await link.attach(nodes.map(\.declaration), names: [])
            return .attached
        }
        while let ending = try await group.next(), ending != .stopped {
            guard ending == .attached else {
                continue
            }
            onAttached()
            for node in nodes {
                for task in node.node.tasks {
                    group.addTask { try await perform(task, at: node.path) }
                }
            }
        }
    }

    /// Why a task of the worker came to its end.
    private enum Ending {
        case attached
        case finished
        case stopped
    }

    // MARK: - What comes from the link

    private func dispatch(into mailboxes: Mailboxes) async throws -> Ending {
        var remaining = Set(nodes.map(\.path))
        for await event in link.work {
            switch event {
            case .invoke(let invocation, let visit):
                mailboxes.deliver(
                    Assignment(invocation: invocation, visit: visit),
                    to: await link.path(of: invocation.node))
            case .beat(let beat):
                await link.beatAnswered(beat)
            case .detached(let detached):
                remaining.remove(detached.path)
                try report(detached, isLast: remaining.isEmpty)
            case .violated(let error):
                throw error
            case .reattachRefused(let error):
                throw error
            case .welcomed(let welcome):
                logger.debug("connected to \(welcome.bus), process \(welcome.processID)")
            case .foundNobody:
                logger.debug("nobody serves the bus; trying again")
            }
        }
        return .finished
    }

    private func report(_ detached: Detached, isLast: Bool) throws {
        guard detached.reason != .left else {
            return
        }
        logger.warning("\(detached.path) was detached: \(detached.sentence)")
        if isLast {
            throw CascadeError(.detached, detached.sentence, reason: detached.reason)
        }
    }

    // MARK: - Nodes

    /// Runs what comes for one node; as many at a time as it allows.
    private func serve(_ node: FlatNode, _ assignments: AsyncStream<Assignment>) async -> Ending {
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

    private func perform(
        _ task: @escaping @Sendable () async throws -> Void, at path: NodePath
    ) async throws -> Ending {
        var values = EnvironmentValues()
        values.node = path
        values.link = link
        do {
            try await EnvironmentValues.$current.withValue(values) { try await task() }
        } catch is CancellationError {
            // The worker is leaving.
        }
        return .finished
    }

    // MARK: - Leaving

    /// Lets the nodes finish what they have, within bounds.
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
