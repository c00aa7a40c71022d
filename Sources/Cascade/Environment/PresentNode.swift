// SPDX-License-Identifier: Apache-2.0

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

    @discardableResult
    public func callAsFunction(_ convertible: some NodeConvertible) async throws -> AttachedNode {
        try await self(convertible.watchingNode)
    }
}
