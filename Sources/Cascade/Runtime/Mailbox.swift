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
    let environment: NodeEnvironment
    let departure = Departure()
    let assignments: AsyncStream<Assignment>
    private let continuation: AsyncStream<Assignment>.Continuation
    /// How durable events ended that earlier sessions had triggered here.
    let outcomes: AsyncStream<Settled>
    private let outcomeContinuation: AsyncStream<Settled>.Continuation

    init(_ path: NodePath, watching keys: [ErasedKey]) {
        place = NodePlace(path)
        environment = NodeEnvironment(watching: keys)
        (assignments, continuation) = AsyncStream.makeStream()
        (outcomes, outcomeContinuation) = AsyncStream.makeStream()
    }

    func deliver(_ assignment: Assignment) {
        continuation.yield(assignment)
    }

    func deliver(_ outcome: Settled) {
        outcomeContinuation.yield(outcome)
    }

    /// The node is no longer in the tree. What it has is still worked off.
    func close(_ result: Result<Void, CascadeError>) async {
        continuation.finish()
        outcomeContinuation.finish()
        environment.close()
        await departure.happened(result)
    }
}
