// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The visit or delivery that a node's code is answering.
public struct VisitContext: Sendable {
    /// The permanent ID of the message. A redelivered message, for example after a restart of the
    /// daemon, keeps its ID and has ``isRedelivered`` set.
    public let id: EventID
    /// The name of the message.
    public let name: EventName
    /// The path of the node that raised or published the message.
    public let origin: NodePath
    /// The strings that travel beside the payload.
    public let attributes: [String: String]
    /// The number of messages in the causal chain before this one, each raised while its
    /// predecessor was answered. A message raised by the running code has one more.
    public let causes: Int
    /// The trace and span of the origin, if it named them. Messages raised by the running code
    /// belong to it, or to the span of this visit (package trait `Tracing`).
    public let traceParent: TraceParent?
    /// Whether the publication was retained and is older than this subscription.
    public let isRetained: Bool
    /// Whether the origin has sent the message again, because its connection broke before the
    /// outcome arrived. The message may have been here before, even in a previous process.
    ///
    /// If a responder of this process has handled the message before, its answer is repeated and
    /// the responder does not run again; this covers the last 1,024 answers. A responder that
    /// passed the message on runs again.
    public let isRedelivered: Bool

    init(_ visit: Visit) {
        id = visit.id
        name = visit.name
        origin = visit.origin
        attributes = visit.attributeTable
        causes = Int(visit.causes)
        traceParent = visit.traceParent
        isRetained = visit.isRetained
        isRedelivered = visit.isRedelivered
    }

    var cause: Cause {
        Cause(id: id, depth: UInt16(clamping: causes), traceParent: traceParent)
    }
}
