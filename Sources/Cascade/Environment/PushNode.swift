// SPDX-License-Identifier: Apache-2.0

/// Attaches a node beside the running node, as a view is pushed on a navigation stack; called like
/// a function.
///
///     @Environment(\.push) var push
///     …
///     let detail = try await push(ItemDetail(item: 7))
///     try await detail.end()
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

    @discardableResult
    public func callAsFunction(_ convertible: some NodeConvertible) async throws -> AttachedNode {
        try await self(convertible.watchingNode)
    }
}
