// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Synchronization

/// The queues of visits and outcomes that the dispatcher fills for one node, with the node's place
/// and environment.
package struct NodeMailbox: Sendable {
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
    private let assignmentContinuation: AsyncStream<Assignment>.Continuation
    /// The outcomes of durable events that earlier sessions of the node triggered.
    let outcomes: AsyncStream<Settled>
    private let outcomeContinuation: AsyncStream<Settled>.Continuation

    init(_ path: NodePath, watching keys: [ErasedKey]) {
        place = NodePlace(path)
        environment = NodeEnvironment(watching: keys)
        (assignments, assignmentContinuation) = AsyncStream.makeStream()
        (outcomes, outcomeContinuation) = AsyncStream.makeStream()
    }

    func deliver(_ assignment: Assignment) {
        assignmentContinuation.yield(assignment)
    }

    func deliver(_ outcome: Settled) {
        outcomeContinuation.yield(outcome)
    }

    /// Closes the queues: the node is no longer in the tree. Accepted work is still processed.
    func close(_ result: Result<Void, CascadeError>) async {
        assignmentContinuation.finish()
        outcomeContinuation.finish()
        environment.close()
        await departure.happened(result)
    }
}

/// The mailboxes of a worker's nodes, by path. Nodes add to them from any thread.
final class NodeMailboxes: Sendable {
    private let mailboxes = Mutex<[NodePath: NodeMailbox]>([:])

    subscript(path: NodePath) -> NodeMailbox? {
        mailboxes.withLock { $0[path] }
    }

    var isEmpty: Bool {
        mailboxes.withLock { $0.isEmpty }
    }

    func insert(_ added: [NodeMailbox]) {
        mailboxes.withLock { mailboxes in
            for mailbox in added {
                mailboxes[mailbox.place.path] = mailbox
            }
        }
    }

    func remove(_ path: NodePath) -> NodeMailbox? {
        mailboxes.withLock { $0.removeValue(forKey: path) }
    }

    func removeAll() -> [NodeMailbox] {
        mailboxes.withLock { mailboxes in
            defer { mailboxes = [:] }
            return Array(mailboxes.values)
        }
    }

    /// Moves a mailbox to another path. Returns whether there was one at the old path.
    func move(_ old: NodePath, to new: NodePath) -> Bool {
        mailboxes.withLock { mailboxes in
            guard let mailbox = mailboxes.removeValue(forKey: old) else {
                return false
            }
            mailbox.place.move(to: new)
            mailboxes[new] = mailbox
            return true
        }
    }
}

/// The departure of one node from the tree, which tasks can await.
actor Departure {
    private var result: Result<Void, CascadeError>?
    private var waiters: [Waiter<Void>] = []

    var hasHappened: Bool {
        result != nil
    }

    /// Records the departure, with an error if the node was taken out of the tree. Only the first
    /// call counts.
    func happened(_ result: Result<Void, CascadeError>) {
        guard self.result == nil else {
            return
        }
        self.result = result
        for waiter in waiters {
            waiter.resume(with: result.mapError { $0 })
        }
        waiters = []
    }

    /// Waits for the departure. Throws its error, and `CancellationError` if the task is
    /// cancelled.
    func wait() async throws {
        if let result {
            return try result.get()
        }
        try await Waiter.value { waiters.append($0) }
    }
}
