// SPDX-License-Identifier: Apache-2.0

/// A node that was pushed or presented.
public struct AttachedNode: Sendable {
    let runtime: WorkerRuntime
    /// The node, then those inside it.
    let mailboxes: [Mailbox]

    /// Where it stands, now.
    public var path: NodePath {
        mailboxes[0].place.path
    }

    /// Takes the node, and those inside it, out of the tree, and waits until they are gone: they
    /// finish what they accepted, and accept nothing new. No error if they are gone already.
    ///
    /// Code of the node itself would wait for itself: that is what ``DismissNode`` is for.
    public func dismiss() async throws {
        for mailbox in mailboxes.reversed() where await !mailbox.departure.hasHappened {
            try await runtime.link.beginLeaving(mailbox.place.path)
        }
        try await end()
    }

    /// Waits until the node is no longer in the tree.
    ///
    /// Throws ``CascadeError`` if it was taken out for another reason than that it was dismissed or
    /// drained, and `CancellationError` if the task is cancelled meanwhile.
    public func end() async throws {
        try await mailboxes[0].departure.wait()
    }
}
