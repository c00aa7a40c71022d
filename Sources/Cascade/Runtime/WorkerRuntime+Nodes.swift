// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Logging
import Synchronization
import ZeroMQ

/// Execution of the nodes' responders, subscriptions and tasks.
extension WorkerRuntime {
    func serve(
        _ nodes: [PlacedNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes {
            group.addTask(executorPreference: thread) { await serve(node) }
        }
        receiveOutcomes(of: nodes, in: &group)
    }

    /// Processes the messages of one node, at most its `concurrency` at a time.
    private func serve(_ node: PlacedNode) async -> Ending {
        guard node.node.concurrency > 1 else {
            for await assignment in node.mailbox.assignments {
                await runUnlessCancelled(assignment, at: node)
            }
            return .finished
        }
        await withDiscardingTaskGroup { group in
            for await assignment in node.mailbox.assignments {
                group.addTask { await runUnlessCancelled(assignment, at: node) }
            }
        }
        return .finished
    }

    /// Runs an assignment, and cancels its task when the requester no longer waits.
    private func runUnlessCancelled(
        _ assignment: NodeMailbox.Assignment, at node: PlacedNode
    ) async {
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

    private func run(_ assignment: NodeMailbox.Assignment, at node: PlacedNode) async {
        let start = ContinuousClock.now
        let values = EnvironmentValues(
            runningNode: RunningNode(node.mailbox, self),
            visit: VisitContext(assignment.visit))
        let result = await EnvironmentValues.$current.withValue(values) {
            await VisitSpan.run(assignment.visit) {
                await self.respond(to: assignment, at: node)
            }
        }
        await link.finished(
            assignment.invocation.token, result,
            microseconds: (ContinuousClock.now - start).wireMicroseconds)
    }

    /// Runs the responder on the executor that its node requests. The node's queue runs on the
    /// session's thread.
    private func respond(
        to assignment: NodeMailbox.Assignment, at node: PlacedNode
    ) async -> InvocationResult {
        guard thread != nil else {
            return await result(of: assignment, at: node)
        }
        guard node.node.runsOnSessionThread else {
            return await withTaskExecutorPreference(globalConcurrentExecutor) {
                await result(of: assignment, at: node)
            }
        }
        link.threadUse.begin(assignment.visit, at: MonotonicClock.now())
        defer { link.threadUse.end(assignment.visit) }
        return await result(of: assignment, at: node)
    }

    private func result(
        of assignment: NodeMailbox.Assignment, at node: PlacedNode
    ) async -> InvocationResult {
        let visit = assignment.visit
        do {
            switch assignment.invocation.target {
            case .responder(let index):
                guard node.node.responders.indices.contains(index) else {
                    let message = "'\(node.path)' has no responder \(index)"
                    return .failed(Failure(.responderFailed, message: message), nil)
                }
                return try await node.node.responders[index].run(visit)
            case .subscription:
                let name = visit.name.description
                for subscription in node.node.subscriptions where subscription.name == name {
                    try await subscription.run(visit)
                }
                return .handled
            }
        } catch let error as ObservationDecodingError {
            warn(about: error, of: visit)
            return .passed
        } catch {
            return InvocationResult(thrown: error)
        }
    }

    private func warn(about error: ObservationDecodingError, of visit: Visit) {
        if undecodableNames.insert(visit.name, at: visit.node) {
            logger.warning(
                "\(visit.node) cannot observe \(visit.name) (logged once): \(error.cause)")
        }
    }

    // MARK: - Tasks

    func performTasks(
        of nodes: [PlacedNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes where !node.node.tasks.isEmpty {
            group.addTask(executorPreference: node.node.runsOnSessionThread ? thread : nil) {
                try await performTasks(of: node)
            }
        }
    }

    /// Runs the tasks of one node until they end or the node leaves the tree.
    private func performTasks(of node: PlacedNode) async throws -> Ending {
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
        _ task: @escaping @Sendable () async throws -> Void, at node: PlacedNode
    ) async throws {
        do {
            let values = EnvironmentValues(runningNode: RunningNode(node.mailbox, self))
            try await EnvironmentValues.$current.withValue(values) {
                try await task()
            }
        } catch is CancellationError {
            // The node is leaving.
        }
    }
}

/// The names that observers could not decode, by node. An observer that cannot decode one event
/// usually cannot decode any, so one warning is enough.
final class UndecodableNames: Sendable {
    private struct Entry: Hashable {
        let name: EventName
        let node: NodePath
    }

    private let entries = Mutex<Set<Entry>>([])

    /// Returns whether the name is new at the node.
    func insert(_ name: EventName, at node: NodePath) -> Bool {
        entries.withLock { $0.insert(Entry(name: name, node: node)).inserted }
    }
}

// MARK: - Nodes with their paths

/// A node with its full path, its declaration for the bus, and its mailbox.
struct PlacedNode: Sendable {
    let declaration: NodeDeclaration
    let node: Node
    let mailbox: NodeMailbox

    /// The path at which the node is attached.
    var path: NodePath {
        declaration.path
    }

    /// Returns nodes with the nodes inside them, outer ones first. Throws ``CascadeError`` if a
    /// name violates the rule for names.
    static func flatten(_ nodes: [Node], under parent: NodePath) throws -> [PlacedNode] {
        do {
            return try nodes.flatMap { node in
                let path = try parent.appending(node.name)
                let placed = PlacedNode(
                    declaration: try node.declaration(at: path), node: node,
                    mailbox: NodeMailbox(path, watching: node.values.watchedKeys))
                return [placed] + (try flatten(node.children, under: path))
            }
        } catch let error as NameError {
            throw CascadeError(.badName, error.description)
        }
    }
}

extension Node {
    /// Returns the declaration of the node for the bus.
    fileprivate func declaration(at path: NodePath) throws -> NodeDeclaration {
        var declaration = NodeDeclaration(
            path: path,
            responders: try responders.map { responder in
                ResponderDeclaration(
                    responder.kind, try responder.name.map { try EventName($0) },
                    when: responder.condition?.description)
            },
            subscriptions: try subscriptions.map { try EventName($0.name) }, isActive: isActive,
            takesOver: takesOver, concurrency: UInt16(concurrency),
            prefetch: UInt16(clamping: max(256, concurrency)))
        declaration.isPresented = isPresented
        declaration.wantsOutcomes = !outcomeReceivers.isEmpty
        declaration.detachesOrphans = orphanPolicy == .detach
        declaration.triggers = try triggeredNames.map { try $0.map { try EventName($0) } }
        declaration.reports = try reportedNames.map { try $0.map { try EventName($0) } }
        declaration.safety = safety
        declaration.requiresExplicitResponders = requiresExplicitResponders
        declaration.assignments = try values.assignments()
        return declaration
    }
}
