// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The trace of one event or publication, as shown on request: its origin, its visits and its
/// outcome.
struct TraceRecord: Sendable {
    var id = EventID(session: SessionID(high: 0, low: 0), sequence: 0)
    var name: EventName?
    /// The lane in which it was raised; `nil` for a publication.
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
    /// The recipients of a publication; the places where a cascade ran.
    var paths: [NodePath] = []
    /// The number of further paths that were left out.
    var omittedPathCount = 0

    /// The outcome document, at an end that may be yet to come.
    ///
    /// - Parameter caused: The messages that this one has caused.
    func document(
        at clock: WallClock, caused: [TraceRecord], for viewer: inout Viewer
    ) -> JSONValue {
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
                "caused": caused.isEmpty
                    ? nil : .array(caused.map { $0.consequence(for: &viewer) }),
            ])
    }

    /// The message as a consequence of another.
    private func consequence(for viewer: inout Viewer) -> JSONValue {
        .members([
            "id": .text(id),
            "name": name.map { .text($0) },
            "lane": .string(lane?.name ?? "publication"),
            "origin": viewer.place(origin),
            "outcome": outcome.map { .string($0.name) },
        ])
    }
}

extension Propagation {
    /// Returns the form kept in the ring, without its trail.
    @inline(__always)
    func kept(
        as session: SessionIdentity, from path: consuming NodePath, at now: Instant,
        _ code: OutcomeCode, isHandled: Bool, _ failure: Failure?
    ) -> StoredTrace {
        var details: StoredTrace.Details?
        if firstName == NameIndex.none || message.words != nil || failure != nil || !ran.isEmpty
            || handler != nil
        {
            details = StoredTrace.Details.details(
                of: message.words, isNumbered: firstName != NameIndex.none, failure, ran, handler)
        }
        return StoredTrace(
            session: session, sequence: message.origin.sequence, begun: startedAt, ended: now,
            origin: path, name: firstName, lane: firstLane, outcome: code, isByLast: isHandled,
            details: details)
    }

    /// Records one visit in the trail.
    @inline(__always)
    mutating func recordVisit(
        _ stop: Stop, at path: consuming NodePath, _ verdict: VerdictCode,
        hasTimedOut: Bool = false, error: Failure? = nil, _ times: VisitTimes,
        microseconds: UInt32
    ) {
        let isPlain = message.name != NameIndex.none && lane != .error && error == nil
        append(
            TrailVisit(
                path: path, words: isPlain ? nil : visitWords(error), microseconds: microseconds,
                at: VisitTimes.microseconds(from: startedAt, to: times.sentAt),
                waited: times.waited,
                name: message.name,
                responder: stop.responder, kind: stop.kind, verdict: verdict,
                hasTimedOut: hasTimedOut))
    }

    private func visitWords(_ thrown: Failure?) -> TrailVisit.Words {
        let error = lane == .error ? failure : thrown
        return TrailVisit.Words(name: message.text, message: error?.message, title: error?.title)
    }
}
