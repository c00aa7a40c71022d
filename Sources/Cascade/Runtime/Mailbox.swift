// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Where what comes for one node waits until the node's task takes it, and where the node stands.
package struct Mailbox: Sendable {
    /// One responder or subscription to run, and what to run it with.
    struct Assignment: Sendable {
        let invocation: Invocation
        let visit: Visit
        /// Ends when whoever asked no longer waits; `nil` where that can't happen.
        let cancellation: AsyncStream<Never>?
    }

    let place: NodePlace
    let departure = Departure()
    let assignments: AsyncStream<Assignment>
    private let continuation: AsyncStream<Assignment>.Continuation

    init(_ path: NodePath) {
        place = NodePlace(path)
        (assignments, continuation) = AsyncStream.makeStream()
    }

    func deliver(_ assignment: Assignment) {
        continuation.yield(assignment)
    }

    /// The node is no longer in the tree. What it has is still worked off.
    func close(_ result: Result<Void, CascadeError>) async {
        continuation.finish()
        await departure.happened(result)
    }
}
