// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The queues of one node's work and outcomes, with its place and environment.
package struct Mailbox: Sendable {
    /// A responder or subscription to run, with its visit.
    struct Assignment: Sendable {
        let invocation: Invocation
        let visit: Visit
        /// Ends when the requester no longer waits; `nil` for messages that cannot be cancelled.
        let cancellation: AsyncStream<Never>?
    }

    let place: NodePlace
    let environment: NodeEnvironment
    let departure = Departure()
    let assignments: AsyncStream<Assignment>
    private let continuation: AsyncStream<Assignment>.Continuation
    /// The outcomes of durable events that earlier sessions of the node triggered.
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

    /// Closes the queues: the node is no longer in the tree. Accepted work is still processed.
    func close(_ result: Result<Void, CascadeError>) async {
        continuation.finish()
        outcomeContinuation.finish()
        environment.close()
        await departure.happened(result)
    }
}
