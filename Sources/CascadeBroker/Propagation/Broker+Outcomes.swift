// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Outcomes: how events end, each once.
extension Broker {
    /// Called when no responder is left to ask.
    mutating func reachedTop(_ event: EventIndex) {
        if traffic.events[event].lane == .cascade {
            settle(event, .cascaded)
        } else if mayPark(event) {
            park(event)
        } else {
            endUnhandled(event)
        }
    }

    mutating func endUnhandled(_ event: EventIndex) {
        switch traffic.events[event].lane {
        case .event, .request, .cascade:
            settle(event, .unhandled, failure: holdRefusal(of: event))
        case .error:
            settle(
                event, traffic.events[event].lastFailure == .timedOut ? .timedOut : .failed,
                failure: traffic.events[event].failure)
        }
    }

    /// An event that was brought about by too many others, one behind the other.
    mutating func endLooped(_ event: EventIndex) {
        let record = traffic.events[event]
        settle(
            event, .looped,
            failure: looped(
                "event", currentName(of: event), record.message.origin, record.message.cause))
    }

    // MARK: - The deadline

    mutating func eventTimedOut(_ event: EventIndex) {
        guard let delivery = traffic.events[event].delivery else {
            unpark(event)
            endUnhandled(event)
            return
        }
        let node = traffic.deliveries[delivery].node
        let wasSent = traffic.deliveries[delivery].state != .waiting
        let times =
            wasSent ? traffic.deliveries[delivery].times : VisitTimes(sentAt: now)
        let stops = wasSent ? traffic.events[event].stops : stopsAhead(of: event, at: node)
        // An observer of a request may still see it late.
        if traffic.events[event].lane == .request, stops.contains(where: { $0.kind == .respond }) {
            sendCancel(of: delivery)
        }
        expire(delivery)
        traffic.events[event].endDelivery()
        recordUnanswered(event, stops, times, hasTimedOut: true)
        guard !traffic.events[event].isPastDeadline else {
            endPastDeadline(event, at: node)
            return
        }
        traffic.events[event].markPastDeadline()
        renewDeadline(event)
        failUnanswered(event, .timedOut, stops, at: node, skippingNode: isBusy(node))
    }

    /// The responder that an event in a node's queue would meet, if there still is one.
    private mutating func stopsAhead(of event: EventIndex, at node: NodeIndex) -> [Stop] {
        arrival(of: event, at: node).map { [$0] } ?? []
    }

    /// The fresh deadline has passed too: that is the end.
    private mutating func endPastDeadline(_ event: EventIndex, at node: NodeIndex) {
        guard traffic.events[event].lane != .cascade else {
            settle(event, .cascaded)
            return
        }
        let failure = Failure(.timedOut, at: hierarchy.path(of: node))
        settle(event, .timedOut, failure: replacing(failure, of: event))
    }

    /// Waits longer for the verdict of the root than the event has left: on the bus above, the event may
    /// get a fresh deadline once, and its outcome is on its way for a while.
    mutating func waitForAbove(_ event: EventIndex) {
        if traffic.events[event].message.deadline <= now, !traffic.events[event].isPastDeadline {
            // The root has been asked before, and has answered after the deadline.
            traffic.events[event].markPastDeadline()
            renewDeadline(event)
        }
        let left = UInt64(millisecondsLeft(until: traffic.events[event].message.deadline))
        let patience = UInt32(clamping: 2 * left + Self.wayMilliseconds)
        deadlines.remove(traffic.events[event].deadline)
        traffic.events[event].wait(
            until: deadlines.insert(now.advanced(byMilliseconds: patience), .event(event)))
    }

    /// The time that an event and its outcome may take on their way to another bus.
    private static let wayMilliseconds: UInt64 = 1_000

    mutating func renewDeadline(_ event: EventIndex) {
        deadlines.remove(traffic.events[event].deadline)
        let deadline = now.advanced(byMilliseconds: traffic.events[event].message.milliseconds)
        traffic.events[event].extend(
            until: deadline, deadlines.insert(deadline, .event(event)))
    }

    /// Whether the node works at its capacity and has answered none of it in time. Such a node is
    /// not asked about the failure.
    private func isBusy(_ node: NodeIndex) -> Bool {
        let stuck = traffic.deliveries.outstanding(at: node).count {
            traffic.deliveries[$0].hasBegun && traffic.deliveries[$0].state == .expired
        }
        return stuck >= hierarchy[node].concurrency
    }

    // MARK: - The end

    /// The one place where an event ends.
    ///
    /// - Parameter isQuarantined: whether it ends because sessions ended with it.
    mutating func settle(
        _ event: EventIndex, _ code: OutcomeCode, by stop: Stop? = nil, failure: Failure? = nil,
        isQuarantined: Bool = false
    ) {
        count(event, code)
        if code == .unhandled || code == .failed {
            keepUndelivered(event, code, isQuarantined: isQuarantined)
        }
        let origin = traffic.events[event].message.origin
        if traffic.events[event].message.isDurable {
            conclude(event, ended(event, code, by: stop, failure: failure))
        } else if !traffic.events[event].message.isUnacknowledged,
            // A disconnected session may resume and request it.
            peers.isGreeted(origin.peer) || sessions.disconnected.id(of: origin.peer) != nil
        {
            if case nil = failure, traffic.events[event].isSaidByHeader {
                let node = stop.map { hierarchy.contains($0.node) ? $0.node : NodeIndex.none }
                sendOutcome(
                    origin,
                    UnconfirmedOutcomes.Entry(
                        sequence: origin.ticket, node: node ?? NodeIndex.none,
                        microseconds: traffic.events[event].microseconds(at: now),
                        responder: stop?.responder ?? 0,
                        code: UInt8(truncatingIfNeeded: code.rawValue)))
            } else {
                sendOutcome(origin, ended(event, code, by: stop, failure: failure))
            }
        }
        remember(event, code, isHandled: stop != nil, failure: failure)
        finish(event)
    }

    /// Counts the end of an event. A request that inspects another bus is a query, not traffic of this bus.
    @inline(__always)
    private mutating func count(_ event: EventIndex, _ code: OutcomeCode) {
        guard !traffic.events[event].message.isInspection else {
            return
        }
        observers.counters.count(code)
        observers.eventTimes.count(now.nanoseconds &- traffic.events[event].startedAt.nanoseconds)
    }

    private func ended(
        _ event: EventIndex, _ code: OutcomeCode, by stop: Stop?, failure: Failure?
    ) -> OutcomeMessage {
        let wantsTrail = traffic.events[event].message.flags.contains(.wantsTrail)
        return OutcomeMessage(
            sequence: traffic.events[event].message.origin.ticket, code: code,
            node: (stop?.node ?? NodeIndex.none).number, responder: stop?.responder ?? 0,
            microseconds: traffic.events[event].microseconds(at: now),
            failure: failure,
            trail: wantsTrail ? traffic.events[event].trail.records(names) : [],
            omittedVisitCount: wantsTrail ? traffic.events[event].trail.omittedCount : 0,
            recipients: traffic.events[event].ran, handler: traffic.events[event].handler)
    }

    /// Ends a request with a reply.
    mutating func reply(to event: EventIndex, _ answer: Answer, by stop: Stop) {
        guard traffic.events[event].lane == .request, let payload = answer.payload else {
            release(answer.payload)
            fail(event, .badVerdict, at: stop)
            return
        }
        settleRequest(event, .handled, answer, payload, by: stop)
    }

    /// Ends a request with the error of a responder.
    mutating func settleRequest(_ event: EventIndex, _ failure: Failure, _ answer: Answer) {
        guard let payload = answer.payload, !payload.body.isEmpty else {
            release(answer.payload)
            settle(event, .failed, failure: failure)
            return
        }
        keepUndelivered(event, .failed, isQuarantined: false)
        settleRequest(event, .failed, answer, payload, failure: failure)
    }

    /// Ends a request, and passes the payload of the verdict to the requester unchanged.
    private mutating func settleRequest(
        _ event: EventIndex, _ code: OutcomeCode, _ answer: Answer, _ payload: Payload,
        by stop: Stop? = nil, failure: Failure? = nil
    ) {
        count(event, code)
        let origin = traffic.events[event].message.origin
        guard peers.isGreeted(origin.peer), !traffic.events[event].message.isUnacknowledged else {
            release(payload)
            remember(event, code, isHandled: stop != nil, failure: failure)
            finish(event)
            return
        }
        let ended = ended(event, code, by: stop, failure: failure)
        var fields = FieldWriter()
        ended.write(to: &fields)
        var header = ended.header
        header.flags.insert(.carriesReply)
        var sent = payload
        if !fields.bytes.isEmpty || payload.fieldsLength > 0 {
            RaisedFields(contentType: answer.raised?.contentType).write(to: &fields)
            header.fieldsLength = UInt32(fields.bytes.count)
            sent = OwnedPayload(fields: fields.bytes, body: payload.body)
            charge(sent, to: origin.account)
            release(payload)
        }
        sendOutcome(origin.peer, header, reply: sent)
        remember(event, code, isHandled: stop != nil, failure: failure)
        finish(event)
    }

    /// Lets go of everything that an event holds.
    mutating func finish(_ event: EventIndex) {
        let origin = traffic.events[event].message.origin
        if traffic.events[event].message.isUnacknowledged {
            returnUnacknowledgedCredit(origin.peer)
        }
        let start = traffic.events[event].start
        let position = traffic.events[event].position
        deadlines.remove(traffic.events[event].deadline)
        release(traffic.events[event].end())
        traffic.events.paths.remove(event)
        unfixPath(of: event)
        traffic.events.lastPredicateValues.forget(event)
        traffic.events.remove(event)
        if position == start {
            unpinNode(start, 2)
        } else {
            unpinNode(position)
            unpinNode(start)
        }
        unpin(origin)
    }
}
