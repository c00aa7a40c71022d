// SPDX-License-Identifier: Apache-2.0

package import Logging

/// Serves a worker's nodes over a link, whatever carries it: attaches them, runs their responders,
/// subscriptions and tasks, and leaves.
package struct WorkerRuntime: Sendable {
    private let nodes: [FlatNode]
    let link: Link
    private let logger: Logger

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
    }

    /// Serves until `stop` ends, then leaves gracefully. Throws ``CascadeError`` if the nodes
    /// cannot be attached or are taken out of the tree, and whatever a node's task throws.
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
                group.addTask { await serve(node, mailboxes.assignments(of: node.path)) }
            }
            defer {
                mailboxes.closeAll()
                group.cancelAll()
            }
            do {
                try await attach(into: &group, mailboxes, until: stop, onAttached)
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
        into group: inout ThrowingTaskGroup<Ending, any Error>, _ mailboxes: Mailboxes,
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
            for node in nodes where !node.node.tasks.isEmpty {
                group.addTask {
                    try await performTasks(of: node, until: mailboxes.departure(of: node.path))
                }
            }
        }
    }

    /// Why a task of the worker came to its end.
    enum Ending {
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
                mailboxes.deliver(Assignment(invocation: invocation, visit: visit))
            case .beat(let beat):
                await link.beatAnswered(beat)
            case .detached(let detached):
                remaining.remove(detached.path)
                mailboxes.close(detached.path)
                try report(detached, isLast: remaining.isEmpty)
            case .cancelled, .moved:
                break
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
