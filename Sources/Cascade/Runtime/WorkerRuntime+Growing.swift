// SPDX-License-Identifier: Apache-2.0

/// Nodes that are attached while the worker runs.
extension WorkerRuntime {
    /// Returns the runtime and place of the running code. Throws ``CascadeError`` outside a node's
    /// code.
    static func running(
        _ runtime: WorkerRuntime?, _ place: NodePlace?
    ) throws -> (WorkerRuntime, NodePlace) {
        guard let runtime, let place else {
            throw CascadeError(
                .notRunning, "a node was attached or dismissed outside the code of a node")
        }
        return (runtime, place)
    }

    /// Attaches a node, with the nodes inside it, to this worker's session.
    func attach(_ node: Node, under parent: NodePath) async throws -> AttachedNode {
        let nodes = try FlatNode.flatten([node], under: parent)
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
