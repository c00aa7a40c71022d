// SPDX-License-Identifier: Apache-2.0

/// Nodes that are attached while the worker runs.
extension WorkerRuntime {
    /// What the environment has where a node's code runs. Throws ``CascadeError`` elsewhere.
    static func running(
        _ runtime: WorkerRuntime?, _ place: NodePlace?
    ) throws -> (WorkerRuntime, NodePlace) {
        guard let runtime, let place else {
            throw CascadeError(
                .notRunning, "a node was attached, or dismissed, by code that is no node's")
        }
        return (runtime, place)
    }

    /// Attaches a node, with the nodes inside it, to this worker's session.
    func attach(_ node: Node, under parent: NodePath) async throws -> AttachedNode {
        let nodes = try FlatNode.flatten([node], under: parent)
        let mailboxes = nodes.map(\.mailbox)
        // Visits may come before the answer does.
        await link.announce(mailboxes)
        do {
            try await link.attach(nodes.map(\.declaration), names: [])
        } catch {
            await link.withdraw(mailboxes)
            throw error
        }
        guard case .enqueued = arrivals.continuation.yield(nodes) else {
            throw CascadeError(.notRunning, "the worker is leaving")
        }
        return AttachedNode(runtime: self, mailboxes: mailboxes)
    }
}
