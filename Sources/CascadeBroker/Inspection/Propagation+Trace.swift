// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Propagation {
    /// Leaves behind what is to be known of it when it has ended, its trail with it.
    mutating func leave(
        in ring: inout TraceRing, as session: SessionIdentity, from path: consuming NodePath,
        at now: Instant, _ code: OutcomeCode, isHandled: Bool, _ failure: Failure?, limit: UInt32,
        _ accounts: inout AccountTable
    ) {
        ring.insert(
            kept(as: session, from: path, at: now, code, isHandled: isHandled, failure),
            trail: &trail, of: message.origin.account, limit: limit, &accounts)
    }

    /// What is kept of it, beside its trail.
    func kept(
        as session: SessionIdentity, from path: consuming NodePath, at now: Instant,
        _ code: OutcomeCode, isHandled: Bool, _ failure: Failure?
    ) -> KeptTrace {
        var details: KeptTrace.Details?
        if firstName == NameIndex.none || message.cause != nil || message.traceParent != nil
            || failure != nil || !ran.isEmpty
        {
            details = KeptTrace.Details(
                name: firstText, cause: message.cause, traceParent: message.traceParent,
                failure: failure,
                paths: ran)
        }
        return KeptTrace(
            session: session, sequence: message.origin.sequence, begun: startedAt, ended: now,
            origin: path, name: firstName, lane: firstLane, outcome: code, isByLast: isHandled,
            details: details)
    }

    /// Notes one visit in the trail.
    mutating func note(
        _ stop: Stop, at path: consuming NodePath, _ verdict: VerdictCode,
        hasTimedOut: Bool = false, microseconds: UInt32
    ) {
        var words: TrailVisit.Words?
        if message.name == NameIndex.none || lane == .error {
            let error = lane == .error ? failure : nil
            words = TrailVisit.Words(
                name: message.text, message: error?.message, title: error?.title)
        }
        trail.append(
            TrailVisit(
                path: path, words: words, microseconds: microseconds, name: message.name,
                responder: stop.responder, kind: stop.kind, verdict: verdict,
                hasTimedOut: hasTimedOut))
    }
}
