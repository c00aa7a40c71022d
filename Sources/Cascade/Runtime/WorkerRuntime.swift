// SPDX-License-Identifier: Apache-2.0

package import Logging

/// The execution of a worker's nodes over any link: it attaches them, runs their responders,
/// subscriptions and tasks, and leaves.
package struct WorkerRuntime: Sendable {
    private let nodes: [FlatNode]
    package let link: Link
    let logger: Logger
    /// The names about which a warning has been logged.
    let unread = UnreadNames()
    let mailboxes = Mailboxes()
    /// Nodes that were attached after the start.
    let arrivals = AsyncStream<[FlatNode]>.makeStream()

    /// The time limit for a graceful leave, in seconds.
    private static let leaveSeconds = 10

    /// The nodes' paths, outer ones first.
    package var paths: [NodePath] {
        nodes.map(\.path)
    }

    package init(
        nodes: [Node], mount: NodePath, link: Link, logger: Logger = .silent
    ) throws {
        self.nodes = try FlatNode.flatten(nodes, under: mount)
        self.link = link
        self.logger = logger
        mailboxes.insert(self.nodes.map(\.mailbox))
    }

    /// Serves until `stop` returns, then leaves gracefully; or until the last node is drained.
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
            group.addTask { try await dispatch() }
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
            try await attach(nodes)
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

    /// Attaches nodes. When it returns, the values of their watched keys have arrived.
    func attach(_ nodes: [FlatNode]) async throws {
        try await link.attach(nodes.map(\.declaration), names: [])
        for node in nodes {
            try await node.mailbox.environment.arrival()
        }
    }

    /// The reason why a task of the worker ended.
    enum Ending: Sendable {
        case attached
        /// More nodes were attached.
        case arrived([FlatNode])
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
