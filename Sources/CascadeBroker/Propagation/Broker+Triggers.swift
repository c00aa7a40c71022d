// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Triggers: an event comes in, and goes at once where its outcome interests nobody.
extension Broker {
    mutating func triggered(
        _ header: Header, by peer: PeerID, fields: [UInt8], payload: PayloadID?
    ) throws(WireError) {
        guard try takeCredit(header, of: peer, payload) else {
            return
        }
        guard let code = LaneCode(rawValue: header.code) else {
            throw WireError("there is no lane \(header.code & 0xFF)")
        }
        let raised = fields.isEmpty ? nil : try Raised(fields: FieldReader(fields))
        if let retried = raised?.retried {
            try retry(retried, header, by: peer, payload: payload)
            return
        }
        let message = try take(header, raised, by: peer, payload: payload)
        counters.triggered += 1
        let origin = message.origin.node
        let start =
            header.node == Header.noNode || header.flags.contains(.includingSelf)
            ? origin : hierarchy[origin].parent
        if message.isUnacknowledged, code.lane == .event, safety.gateCount == 0,
            emit(message, from: start)
        {
            prune(origin)
            return
        }
        let event = insert(message, code.lane, at: start)
        guard message.causes <= configuration.limits.causes else {
            endLooped(event)
            return
        }
        if code.lane == .error {
            report(event, raised ?? Raised())
        }
        advance(event)
    }

    /// The short way of an event whose outcome nobody waits for and whose first responder is sure
    /// to end it: one message in, one message out, no record. Returns whether that was possible.
    private mutating func emit(_ message: RaisedMessage, from start: UInt32) -> Bool {
        guard
            let stop = router.nextStop(
                for: message.name, .event, at: start, from: 0, in: hierarchy),
            stop.kind == .handle, hierarchy[stop.node].hasRoom,
            !hierarchy[stop.node].hasPredicate(stop.responder),
            message.causes <= configuration.limits.causes,
            let holder = hierarchy[stop.node].holder
        else {
            return false
        }
        noteEmitted(message, from: start, by: stop.node)
        sendUnacknowledged(
            message.payload, message.fieldsLength, message.origin, name: message.name,
            LaneCode(.event, causes: message.causes), to: stop, of: holder)
        giveBackUnacknowledged(message.origin.peer)
        return true
    }

    /// The last anybody here hears of the event.
    mutating func sendUnacknowledged(
        _ payload: PayloadID, _ fieldsLength: UInt32, _ origin: Origin, name: UInt32,
        _ code: LaneCode, to stop: Stop, of holder: PeerID
    ) {
        introduce(to: holder, name: name, node: origin.node, session: origin.session)
        effects.append(
            .stamp(
                payload,
                Header(
                    .visit, flags: .unacknowledged, index: stop.responder,
                    fieldsLength: fieldsLength, node: stop.node, name: name,
                    sequence: origin.sequence, origin: origin.node, session: origin.session,
                    time: configuration.deadlineMilliseconds, code: code.rawValue)))
        effects.append(.forward(payload, to: holder, itinerary: nil, isLast: true))
        composed.release(payload)
        discharge(payload)
        noteGiven(payload, to: stop.node)
        counters.handled += 1
    }

    /// Makes the event's record, and pins what it needs.
    mutating func insert(
        _ message: RaisedMessage, _ lane: Lane, at start: UInt32
    ) -> UInt32 {
        let startedAt = now
        let holdDeadline = message.holdMilliseconds.map { now.advanced(byMilliseconds: $0) }
        let event = propagations.insert(Propagation()) { record in
            record.origin = message.origin
            record.name = message.name
            record.text = message.text
            record.firstName = message.name
            record.firstText = message.text
            record.flags = message.flags
            record.lane = lane
            record.firstLane = lane
            record.causes = message.causes
            record.cause = message.cause
            record.failure = nil
            record.hasFailed = false
            record.mayHaveBegun = false
            record.hasTimedOut = false
            record.isQuarantined = false
            record.facts = nil
            record.examinationCount = 0
            record.milliseconds = message.milliseconds
            record.isPastDeadline = false
            record.holdDeadline = holdDeadline
            record.isParked = false
            record.start = start
            record.startCursor = 0
            record.position = start
            record.cursor = 0
            record.delivery = Header.noNode
            record.payload = message.payload
            record.fieldsLength = message.fieldsLength
            record.isPayloadShared = false
            record.deadline = message.deadline
            record.startedAt = startedAt
        }
        propagations[event].deadlineHandle = deadlines.insert(message.deadline, .event(event))
        // Once as the start, once as the position.
        hierarchy[start].pins += 2
        pin(message)
        noteTriggered(event)
        return event
    }
}
