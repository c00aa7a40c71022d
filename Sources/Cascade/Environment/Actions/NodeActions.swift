// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Attaches a node beside the running node, as a view is pushed on a navigation stack; called like
/// a function.
///
///     @Environment(\.push) var push
///     …
///     let detail = try await push(ItemDetail(item: 7))
///     try await detail.waitUntilGone()
///
/// The pushed node becomes a child of the running node's parent. The responders and the environment
/// of the running node do not apply to it.
public struct PushNode: Sendable {
    let runtime: WorkerRuntime?
    let place: NodePlace?

    /// Attaches the node with the nodes inside it. Returns when they are in the tree.
    ///
    /// Throws ``CascadeError`` if the bus refuses them, for example because a path is taken.
    @discardableResult
    public func callAsFunction(_ node: Node) async throws -> AttachedNode {
        let (runtime, place) = try WorkerRuntime.running(runtime, place)
        return try await runtime.attach(node, under: place.path.parent ?? .root)
    }

    /// Attaches the node of a type. Throws ``CascadeError`` as for a ``Node``.
    @discardableResult
    public func callAsFunction(_ convertible: some NodeConvertible) async throws -> AttachedNode {
        try await self(convertible.watchingNode)
    }
}

/// Attaches a node in front of the running node, as a sheet is presented; called like a function.
///
/// Events treat the presented node like any other child. It reads the environment as its parent
/// itself reads it, and is told to stop when its parent leaves.
public struct PresentNode: Sendable {
    let runtime: WorkerRuntime?
    let place: NodePlace?

    /// Attaches the node with the nodes inside it. Returns when they are in the tree.
    ///
    /// Throws ``CascadeError`` if the bus refuses them, for example because a path is taken.
    @discardableResult
    public func callAsFunction(_ node: Node) async throws -> AttachedNode {
        let (runtime, place) = try WorkerRuntime.running(runtime, place)
        return try await runtime.attach(node.presented(), under: place.path)
    }

    /// Attaches the node of a type. Throws ``CascadeError`` as for a ``Node``.
    @discardableResult
    public func callAsFunction(_ convertible: some NodeConvertible) async throws -> AttachedNode {
        try await self(convertible.watchingNode)
    }
}

/// Takes the node whose code is running out of the tree; called like a function.
///
/// The node finishes the work that it has accepted, the calling responder included. If it is the
/// last node of its worker, the worker ends.
public struct DismissNode: Sendable {
    let runtime: WorkerRuntime?
    let place: NodePlace?

    /// Asks the bus to take the node out of the tree, and returns at once. The node's tasks are
    /// cancelled when it has left. Throws ``CascadeError`` outside the code of a node.
    public func callAsFunction() async throws {
        let (runtime, place) = try WorkerRuntime.running(runtime, place)
        try await runtime.link.beginLeaving(place.path)
    }
}

/// A node that was attached with ``PushNode`` or ``PresentNode``.
public struct AttachedNode: Sendable {
    let runtime: WorkerRuntime
    /// The mailbox of the node, followed by those of the nodes inside it.
    let mailboxes: [NodeMailbox]

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
        try await waitUntilGone()
    }

    /// Waits until the node is no longer in the tree.
    ///
    /// Throws ``CascadeError`` if the node was taken out of the tree for another reason than a
    /// dismissal or a drain, and `CancellationError` if the task is cancelled.
    public func waitUntilGone() async throws {
        try await mailboxes[0].departure.wait()
    }

    @available(*, deprecated, renamed: "waitUntilGone()")
    public func end() async throws {
        try await waitUntilGone()
    }
}

/// The current path of a node, which may be moved while its code runs.
package final class NodePlace: Sendable {
    private let current: Mutex<NodePath>

    init(_ path: NodePath) {
        current = Mutex(path)
    }

    var path: NodePath {
        current.withLock { $0 }
    }

    func move(to path: NodePath) {
        current.withLock { $0 = path }
    }
}
