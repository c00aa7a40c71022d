// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Where invocations wait until their node's task takes them.
struct Mailboxes: Sendable {
    private let streams: [NodePath: AsyncStream<Invocation>]
    private let continuations: [NodePath: AsyncStream<Invocation>.Continuation]

    init(_ paths: [NodePath]) {
        var streams: [NodePath: AsyncStream<Invocation>] = [:]
        var continuations: [NodePath: AsyncStream<Invocation>.Continuation] = [:]
        for path in paths {
            let (stream, continuation) = AsyncStream<Invocation>.makeStream()
            streams[path] = stream
            continuations[path] = continuation
        }
        self.streams = streams
        self.continuations = continuations
    }

    func stream(of path: NodePath) -> AsyncStream<Invocation> {
        streams[path] ?? AsyncStream { $0.finish() }
    }

    func deliver(_ invocation: Invocation, to path: NodePath?) {
        if let path {
            continuations[path]?.yield(invocation)
        }
    }

    /// Lets every node's task end.
    func finish() {
        for continuation in continuations.values {
            continuation.finish()
        }
    }
}
