// SPDX-License-Identifier: Apache-2.0

/// A node that was attached with ``PushNode`` or ``PresentNode``.
public struct AttachedNode: Sendable {
    let runtime: WorkerRuntime
    /// The mailbox of the node, followed by those of the nodes inside it.
    let mailboxes: [Mailbox]

    /// The current path of the node. It changes when the node is moved.
    public var path: NodePath {
        mailboxes[0].place.path
    }

    /// Takes the node and the nodes inside it out of the tree, and waits until they have left.
    ///
    /// The nodes finish the work that they have accepted, and accept no new work. Nodes that have
    /// already left are skipped. Code of the node itself calls ``DismissNode`` instead: this method
    /// would wait for its own caller.
    ///
    /// Throws ``CascadeError``, or `CancellationError` if the task is cancelled.
    public func dismiss() async throws {
        for mailbox in mailboxes.reversed() where await !mailbox.departure.hasHappened {
            try await runtime.link.beginLeaving(mailbox.place.path)
        }
        try await end()
    }

    /// Waits until the node is no longer in the tree.
    ///
    /// Throws ``CascadeError`` if the node was taken out of the tree for another reason than a
    /// dismissal or a drain, and `CancellationError` if the task is cancelled.
    public func end() async throws {
        try await mailboxes[0].departure.wait()
    }
}
