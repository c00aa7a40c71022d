// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The event or publication that a node's code is answering.
public struct VisitContext: Sendable {
    /// Names it for good. An event that comes again, say after a restart of the daemon, has the ID
    /// it had, and ``isRedelivered`` says so.
    public let id: EventID
    /// What it is called.
    public let name: EventName
    /// Who raised it.
    public let origin: NodePath
    /// What it carries beside its payload.
    public let attributes: [String: String]
    /// How many events and publications led to it, each raised while the one before was answered.
    /// Whatever the running code raises has one more.
    public let causes: Int
    /// The trace and span that it was raised within, if whoever raised it named them. Whatever the
    /// running code raises is raised within that too, or within the span that runs here (package
    /// trait `Tracing`).
    public let traceParent: TraceParent?
    /// Whether it was published before this subscriber was there.
    public let isRetained: Bool
    /// Whether its origin has sent it again, because its connection had broken before an outcome
    /// came: the event may have been here before, also when this process was another one.
    ///
    /// What a responder of this process has answered about it is answered again without running
    /// the responder, as far as the last 1,024 answers go. It runs again if it passed the event on.
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
