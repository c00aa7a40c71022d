// SPDX-License-Identifier: Apache-2.0

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
