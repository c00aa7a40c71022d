// SPDX-License-Identifier: Apache-2.0

/// Takes the node whose code is running out of the tree; called like a function.
///
/// What it has accepted it finishes, this very call included. If it is the last node of its worker,
/// the worker ends.
public struct DismissNode: Sendable {
    let runtime: WorkerRuntime?
    let place: NodePlace?

    /// Returns at once; the node's tasks are cancelled when it is gone.
    public func callAsFunction() async throws {
        let (runtime, place) = try WorkerRuntime.running(runtime, place)
        try await runtime.link.beginLeaving(place.path)
    }
}
