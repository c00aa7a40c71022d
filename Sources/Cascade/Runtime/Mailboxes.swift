// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// One responder or subscription to run, and what to run it with.
struct Assignment: Sendable {
    let invocation: Invocation
    let visit: Visit
}

/// Where assignments wait until their node's task takes them.
struct Mailboxes: Sendable {
    private struct Mailbox: Sendable {
        let assignments = AsyncStream<Assignment>.makeStream()
        /// Ends when the node is taken out of the tree.
        let departure = AsyncStream<Never>.makeStream()
    }

    private let mailboxes: [NodePath: Mailbox]

    init(_ paths: [NodePath]) {
        mailboxes = Dictionary(
            paths.map { ($0, Mailbox()) }, uniquingKeysWith: { first, _ in first })
    }

    func assignments(of path: NodePath) -> AsyncStream<Assignment> {
        mailboxes[path]?.assignments.stream ?? AsyncStream { $0.finish() }
    }

    func departure(of path: NodePath) -> AsyncStream<Never> {
        mailboxes[path]?.departure.stream ?? AsyncStream { $0.finish() }
    }

    func deliver(_ assignment: Assignment) {
        mailboxes[assignment.visit.node]?.assignments.continuation.yield(assignment)
    }

    /// The node is no longer in the tree. What it has is still worked off.
    func close(_ path: NodePath) {
        mailboxes[path]?.assignments.continuation.finish()
        mailboxes[path]?.departure.continuation.finish()
    }

    /// Lets every node's task end.
    func closeAll() {
        for path in mailboxes.keys {
            close(path)
        }
    }
}
