// SPDX-License-Identifier: Apache-2.0

/// Attaches a node beside the one whose code is running, as a view is pushed on a navigation stack;
/// called like a function.
///
///     @Environment(\.push) var push
///     …
///     let detail = try await push(ItemDetail(item: 7))
///     try await detail.end()
///
/// What is pushed is a child of the pusher's parent, so neither the pusher's responders nor its
/// environment apply to it.
public struct PushNode: Sendable {
    let runtime: WorkerRuntime?
    let place: NodePlace?

    /// Attaches the node with the nodes inside it; returns when they stand in the tree.
    ///
    /// Throws ``CascadeError`` if they can't, say because the path is taken.
    @discardableResult
    public func callAsFunction(_ node: Node) async throws -> AttachedNode {
        let (runtime, place) = try WorkerRuntime.running(runtime, place)
        return try await runtime.attach(node, under: place.path.parent ?? .root)
    }

    @discardableResult
    public func callAsFunction(_ convertible: some NodeConvertible) async throws -> AttachedNode {
        try await self(convertible.watchingNode)
    }
}
