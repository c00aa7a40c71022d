// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A ``TraceRecord`` as the broker keeps it, for every event: small, and kept without allocation.
struct KeptTrace: Sendable {
    /// What few events have to say.
    final class Details: Sendable {
        let name: EventName?
        let cause: EventID?
        let traceParent: TraceParent?
        let failure: Failure?
        let paths: [NodePath]
        /// How many more there were.
        let omittedPathCount: Int

        /// The most paths that are kept.
        private static let pathsMax = 256

        init(
            name: EventName?, cause: EventID?, traceParent: TraceParent?, failure: Failure?,
            paths: [NodePath]
        ) {
            self.name = name
            self.cause = cause
            self.traceParent = traceParent
            self.failure = failure
            self.paths = Array(paths.prefix(Self.pathsMax))
            omittedPathCount = max(0, paths.count - Self.pathsMax)
        }
    }

    var session = SessionIdentity.daemon
    var sequence: UInt64 = 0
    var begun = Instant(nanoseconds: 0)
    var ended = Instant(nanoseconds: 0)
    var origin = NodePath.root
    /// The number of the name under which it was raised, if it has one.
    var name = NameIndex.none
    /// `nil` for a publication.
    var lane: Lane?
    var outcome = OutcomeCode.handled
    /// Whether the node visited last ended the event.
    var isByLast = false
    var details: Details?

    func record(_ trail: Trail, _ names: NameTable) -> TraceRecord {
        let visits = trail.records(names)
        return TraceRecord(
            id: EventID(session: session.id, sequence: sequence),
            name: names.name(name) ?? details?.name, lane: lane,
            origin: origin, cause: details?.cause, traceParent: details?.traceParent, begun: begun,
            ended: ended, outcome: outcome,
            by: isByLast ? visits.last?.path : nil, failure: details?.failure, trail: visits,
            omittedVisitCount: trail.omittedCount, paths: details?.paths ?? [],
            omittedPathCount: details?.omittedPathCount ?? 0)
    }
}
