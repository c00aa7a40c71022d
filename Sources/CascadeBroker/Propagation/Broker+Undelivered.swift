// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Unhandled events: kept within limits, and raised again by an administrator.
extension Broker {
    /// Keeps an event that was not handled, if it needed a handler. An event that the bus itself raises does
    /// not need one, and an event of another bus is kept there.
    mutating func keepUndelivered(
        _ event: EventIndex, _ code: OutcomeCode, isQuarantined: Bool
    ) {
        guard isUndelivered(event, code) || isQuarantined,
            !traffic.events[event].message.isUnacknowledged,
            traffic.events[event].message.origin.ticket > 0,
            !traffic.events[event].message.isForeign
        else {
            return
        }
        let record = traffic.events[event]
        let (isKept, forgotten) = traffic.undelivered.append(
            UndeliveredEvent(
                id: EventID(
                    session: sessions[record.message.origin.session],
                    sequence: record.message.origin.sequence),
                isProven: sessions.identity(record.message.origin.session).isProven,
                name: currentName(of: event), lane: record.lane,
                origin: hierarchy.path(of: record.message.origin.node),
                start: hierarchy.path(of: record.start), startCursor: record.startCursor,
                causes: record.message.causes,
                milliseconds: record.message.milliseconds, endedAt: now, reason: code,
                isQuarantined: isQuarantined,
                owner: accounts[record.message.origin.account].owner,
                transformers: record.transformers,
                fields: record.message.payload.fields, payload: Array(record.message.payload.body)),
            of: record.message.origin.account, configuration.limits, &accounts)
        reportForgotten(forgotten)
        if isKept {
            reportUnhandled(.kept, event)
        }
    }

    private func isUndelivered(_ event: EventIndex, _ code: OutcomeCode) -> Bool {
        let isReport =
            traffic.events[event].firstLane == .error && traffic.events[event].lastFailure == nil
        return isReport || (code == .unhandled && traffic.events[event].firstLane == .event)
    }

    /// Raises an undelivered event again, under its old ID: sessions that request its outcome
    /// receive it.
    mutating func retry(
        _ id: EventID, _ header: Header, by peer: PeerID
    ) throws(WireError) {
        if let event = traffic.undelivered.find(id),
            !mayAct(.administer, event.origin, peer)
        {
            // The denial would name the origin.
            guard mayAct(.inspect, event.origin, peer) else {
                throw WireError(.noSuchEvent, "no undelivered event has the ID \(id)")
            }
            throw WireError(.denied, denial(.administer, event.origin, peer))
        }
        guard let event = traffic.undelivered.remove(id, &accounts) else {
            if let origin = origin(ofHeld: id), mayAct(.inspect, origin, peer) {
                throw WireError(
                    .noSuchEvent,
                    "the event \(id) is held: it starts again by itself when a responder for it "
                        + "comes")
            }
            throw WireError(.noSuchEvent, "no undelivered event has the ID \(id)")
        }
        let session = sessions.insert(SessionIdentity(id.session, isProven: event.isProven))
        let origin = Origin(
            node: hierarchy.findNearest(event.origin), peer: peer, session: session,
            sequence: id.sequence, ticket: header.sequence, account: peers[peer].account)
        let milliseconds = header.time == 0 ? event.milliseconds : header.time
        let traceParent = try? RaisedFields(fields: FieldReader(event.fields)).traceParent
        let message = Message(
            origin: origin, name: names.existingNumber(of: event.name) ?? NameIndex.none,
            words: MessageFields(RaisedFields(name: event.name, traceParent: traceParent)),
            flags: header.flags.subtracting([.sentAgain, .durable]),
            payload: OwnedPayload(fields: event.fields, body: event.payload),
            deadline: now.advanced(byMilliseconds: milliseconds), milliseconds: milliseconds,
            causes: event.causes)
        let record = insert(message, event.lane, at: hierarchy.findNearest(event.start))
        traffic.events[record].retry(transformedBy: event.transformers)
        if event.lane == .error {
            traffic.events[record].be(try? Failure(fields: FieldReader(event.fields)))
        }
        if hierarchy.find(event.start) != nil {
            traffic.events[record].begin(atCursor: event.startCursor)
        }
        unpinSession(session)
        observers.counters.count(.triggered)
        reportUnhandled(.retried, record)
        advance(record)
    }
}
