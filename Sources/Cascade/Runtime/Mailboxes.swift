// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// One responder or subscription to run, and what to run it with.
struct Assignment: Sendable {
    let invocation: Invocation
    let visit: Visit
}

/// Where assignments wait until their node's task takes them.
struct Mailboxes: Sendable {
    private let streams: [NodePath: AsyncStream<Assignment>]
    private let continuations: [NodePath: AsyncStream<Assignment>.Continuation]

    init(_ paths: [NodePath]) {
        var streams: [NodePath: AsyncStream<Assignment>] = [:]
        var continuations: [NodePath: AsyncStream<Assignment>.Continuation] = [:]
        for path in paths {
            let (stream, continuation) = AsyncStream<Assignment>.makeStream()
            streams[path] = stream
            continuations[path] = continuation
        }
        self.streams = streams
        self.continuations = continuations
    }

    func stream(of path: NodePath) -> AsyncStream<Assignment> {
        streams[path] ?? AsyncStream { $0.finish() }
    }

    func deliver(_ assignment: Assignment, to path: NodePath?) {
        if let path {
            continuations[path]?.yield(assignment)
        }
    }

    /// Lets every node's task end.
    func finish() {
        for continuation in continuations.values {
            continuation.finish()
        }
    }
}
