// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The trace of one event or publication, as shown on request: its origin, its visits and its
/// outcome.
struct TraceRecord: Sendable {
    var id = EventID(session: SessionID(high: 0, low: 0), sequence: 0)
    var name: EventName?
    /// Where it moved; `nil` for a publication.
    var lane: Lane?
    var origin = NodePath.root
    var cause: EventID?
    var traceParent: TraceParent?
    var begun = Instant(nanoseconds: 0)
    var ended = Instant(nanoseconds: 0)
    /// `nil` while it is under way.
    var outcome: OutcomeCode?
    var by: NodePath?
    var failure: Failure?
    var trail: [VisitRecord] = []
    /// Visits between the first and the last ones that the trail leaves out.
    var omittedVisitCount: UInt32 = 0
    /// Who received a publication; where a cascade ran.
    var paths: [NodePath] = []
    /// How many more there were.
    var omittedPathCount = 0

    /// The outcome document, at an end that may be yet to come.
    func document(at clock: WallClock, for viewer: inout Viewer) -> JSONValue {
        let hasPaths = (lane == nil || lane == .cascade) && outcome != nil
        return .document(
            "outcome",
            [
                "id": .text(id),
                "name": name.map { .text($0) },
                "outcome": outcome.map { .string($0.name) },
                "by": viewer.place(by),
                "error": viewer.failure(failure, .places(trail.map(\.path))),
                "paths": hasPaths ? viewer.places(paths) : nil,
                "omittedPaths": omittedPathCount == 0 ? nil : .integer(omittedPathCount),
                "trail": lane == nil ? nil : viewer.trail(trail),
                "omittedVisits": omittedVisitCount == 0 ? nil : .integer(omittedVisitCount),
                "lane": .string(lane?.name ?? "publication"),
                "origin": viewer.place(origin),
                "cause": cause.map { .text($0) },
                "traceparent": traceParent.map { .text($0) },
                "begun": .text(clock.time(begun)),
                "ended": outcome.map { _ in .text(clock.time(ended)) },
            ])
    }
}
