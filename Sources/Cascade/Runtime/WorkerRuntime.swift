// SPDX-License-Identifier: Apache-2.0

package import Logging

/// Serves a worker's nodes over a link, whatever carries it: attaches them, runs their responders,
/// subscriptions and tasks, and leaves.
package struct WorkerRuntime: Sendable {
    private let nodes: [FlatNode]
    package let link: Link
    let logger: Logger
    /// What the log has a warning of already.
    let unread = UnreadNames()
    let mailboxes = Mailboxes()
    /// Nodes that were attached while the worker runs, for it to serve.
    let arrivals = AsyncStream<[FlatNode]>.makeStream()

    /// How long a graceful leave may take before the worker ends all the same.
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

    /// Serves until `stop` ends, then leaves gracefully; or until the last node was drained. Throws
    /// ``CascadeError`` if the nodes cannot be attached or are taken out of the tree, and whatever
    /// a node's task throws.
    ///
    /// - Parameters:
    ///   - stop: what ends when it is time to leave.
    ///   - onAttached: called once the nodes stand in the tree.
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

    /// Puts nodes into the tree. When it returns, they can read what they watch.
    func attach(_ nodes: [FlatNode]) async throws {
        try await link.attach(nodes.map(\.declaration), names: [])
        for node in nodes {
            try await node.mailbox.environment.arrival()
        }
    }

    /// Why a task of the worker came to its end.
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
