// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Traces: the records of one event or publication, under way or ended.
extension Broker {
    // MARK: - Keeping

    /// Keeps the outcome of an event; `isHandled` is true if the node visited last ended it. Moves
    /// the trail out of the event: callers that need the trail must read it first.
    @inline(__always)
    mutating func remember(
        _ event: EventIndex, _ code: OutcomeCode, isHandled: Bool, failure: Failure?
    ) {
        guard !traffic.events[event].message.isUnacknowledged else {
            return
        }
        if observers.monitors.want(.end(of: traffic.events[event].firstLane)) {
            reportEnded(event, code, isHandled: isHandled, failure: failure)
        }
        let origin = traffic.events[event].message.origin
        traffic.events[event].leave(
            in: &observers.traces, as: sessions.identity(origin.session),
            from: hierarchy.keptPath(of: origin.node), at: now, code, isHandled: isHandled, failure,
            limit: configuration.limits.traces, &accounts)
    }

    /// Keeps how a publication ended.
    mutating func remember(publication: PublicationIndex, _ code: OutcomeCode, _ paths: [NodePath])
    {
        let record = traffic.publications[publication]
        var trace = trace(publication: record)
        trace.outcome = code
        trace.ended = now
        trace.failure = record.failure
        trace.paths = paths
        if !record.isGiven, !record.message.flags.contains(.unacknowledged) {
            let place = observers.traces.makePlace(
                for: record.message.origin.account, limit: configuration.limits.traces, &accounts)
            if let place {
                var trail = Trail()
                observers.traces.put(
                    StoredTrace(
                        session: sessions.identity(record.message.origin.session),
                        sequence: trace.id.sequence, begun: trace.begun, ended: now,
                        origin: trace.origin, name: record.message.name, outcome: code,
                        details: StoredTrace.Details(
                            name: record.message.text, cause: record.message.cause,
                            traceParent: record.message.traceParent,
                            failure: record.failure, paths: paths)),
                    &trail, at: place)
            }
        }
        if observers.monitors.want(.end(of: nil)) {
            reportEnded(record, trace)
        }
    }

    // MARK: - Asking

    /// The viewer cannot distinguish a trace that began at a hidden place from one that does not
    /// exist.
    func traceDocument(_ id: EventID, for viewer: inout Viewer) throws(WireError) -> JSONValue {
        // They are searched for the event, and once more for those that it has caused.
        try viewer.spend(
            (traffic.events.count + traffic.publications.count + observers.traces.count) / 4)
        guard let trace = trace(of: id), viewer.sees(trace.origin) else {
            throw WireError(
                .noSuchEvent,
                "the bus knows of no event '\(id)'; it remembers the last "
                    + "\(configuration.limits.traces) that were acknowledged (limit traces)")
        }
        let caused = messages(causedBy: id).filter { viewer.sees($0.origin) }
        try viewer.spend(trace.trail.count * 4 + caused.count * 4)
        return trace.document(at: wallClock, caused: caused, for: &viewer)
    }

    /// Returns the messages that an event has caused, ended ones before those under way.
    private func messages(causedBy id: EventID) -> [TraceRecord] {
        let events = traffic.events.indices.filter { traffic.events[$0].message.cause == id }
            .map { trace(event: traffic.events[$0]) }
        let publications = traffic.publications.indices.filter { index in
            !traffic.publications[index].isGiven
                && traffic.publications[index].message.cause == id
        }.map { trace(publication: traffic.publications[$0]) }
        return observers.traces.all(causedBy: id, names) + events + publications
    }

    /// An event of a session that has proved its ID comes before one of a session that has not.
    func trace(of id: EventID) -> TraceRecord? {
        trace(of: EventKey(id: id, isProven: true)) ?? trace(of: EventKey(id: id, isProven: false))
    }

    /// A message under way precedes an ended one: it may have ended before and have been raised
    /// again.
    private func trace(of id: EventKey) -> TraceRecord? {
        let underWay = traffic.events.indices.first {
            isRaised(traffic.events[$0].message.origin, id)
        }
        if let event = underWay {
            return trace(event: traffic.events[event])
        }
        let publication = traffic.publications.indices.first { index in
            !traffic.publications[index].isGiven
                && isRaised(traffic.publications[index].message.origin, id)
        }
        if let publication {
            return trace(publication: traffic.publications[publication])
        }
        return observers.traces.find(id, names)
    }

    private func isRaised(_ origin: Origin, _ key: EventKey) -> Bool {
        origin.sequence == key.id.sequence && sessions.identity(origin.session) == key.session
    }

    func trace(event: Propagation) -> TraceRecord {
        TraceRecord(
            id: EventID(
                session: sessions[event.message.origin.session],
                sequence: event.message.origin.sequence),
            name: names.name(event.firstName) ?? event.firstText,
            lane: event.firstLane, origin: hierarchy.path(of: event.message.origin.node),
            cause: event.message.cause, traceParent: event.message.traceParent,
            begun: event.startedAt,
            trail: event.trail.records(names), omittedVisitCount: event.trail.omittedCount)
    }

    func trace(publication: Publication) -> TraceRecord {
        TraceRecord(
            id: EventID(
                session: sessions[publication.message.origin.session],
                sequence: publication.message.origin.sequence),
            name: names.name(publication.message.name) ?? publication.message.text,
            origin: hierarchy.path(of: publication.message.origin.node),
            cause: publication.message.cause,
            traceParent: publication.message.traceParent, begun: publication.startedAt)
    }

    var wallClock: WallClock {
        WallClock(epochNanoseconds: configuration.epochNanoseconds)
    }
}
