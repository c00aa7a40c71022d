// SPDX-License-Identifier: Apache-2.0

/// Attaches a node in front of the one whose code is running, as a sheet is presented; called like
/// a function.
///
/// What is presented is a child for events like any other. It reads the environment as its parent
/// itself reads it, and is told to stop when its parent goes.
public struct PresentNode: Sendable {
    let runtime: WorkerRuntime?
    let place: NodePlace?

    /// Attaches the node with the nodes inside it; returns when they stand in the tree.
    ///
    /// Throws ``CascadeError`` if they can't, say because the path is taken.
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
