// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events: from the trigger, from visit to visit, to the one outcome.
extension Broker {
    // MARK: - Trigger

    mutating func triggered(
        _ header: Header, by peer: PeerID, fields: [UInt8], payload: PayloadID?
    ) throws(WireError) {
        try takeCredit(header, of: peer)
        guard Lane(rawValue: header.code) != nil else {
            throw WireError("there is no lane \(header.code)")
        }
        guard let payload else {
            throw WireError("a trigger came without its message")
        }
        let raised = fields.isEmpty ? nil : try Raised(fields: FieldReader(fields))
        let name = try name(header, raised?.name)
        let origin = try origin(header, raised?.origin, of: peer)
        counters.triggered += 1
        let start =
            header.node == Header.noNode || header.flags.contains(.includingSelf)
            ? origin.node : hierarchy[origin.node].parent
        if header.flags.contains(.unacknowledged),
            emit(header, origin, name: name, from: start, payload)
        {
            prune(origin.node)
            return
        }
        let event = insert(header, origin, name: name, text: raised?.name, payload)
        propagations[event].position = start
        hierarchy[start].pins += 1
        advance(event)
    }

    /// Where an event or publication comes from: a node of the session, or a path that an outsider
    /// names.
    mutating func origin(
        _ header: Header, _ path: NodePath?, of peer: PeerID
    ) throws(WireError) -> Origin {
        let node: UInt32
        if header.node != Header.noNode {
            node = try ownNode(header.node, of: peer)
        } else {
            let path = path ?? .root
            guard let place = hierarchy.find(path) ?? placeOfExpected(path) else {
                throw WireError(.noSuchNode, "there is no node at '\(path)'")
            }
            node = place
        }
        return Origin(
            node: node, peer: peer, session: peers[peer].session, sequence: header.sequence)
    }

    /// After a restart of the daemon, a path that nobody holds may just not have come back yet.
    private mutating func placeOfExpected(_ path: NodePath) -> UInt32? {
        let limits = configuration.limits
        guard awaitingReattach != nil, path.depth <= limits.depth,
            hierarchy.count + hierarchy.missingCount([path]) <= limits.nodes
        else {
            return nil
        }
        return hierarchy.findOrMake(path, at: now)
    }

    /// The number of the name that was raised; ``NameTable/none`` for a name without one.
    func name(_ header: Header, _ text: EventName?) throws(WireError) -> UInt32 {
        guard header.name == NameTable.none else {
            guard names.name(header.name) != nil else {
                throw WireError("the name \(header.name) was never defined")
            }
            return header.name
        }
        guard let text else {
            throw WireError(.badName, "an event has no name")
        }
        return names.existingNumber(of: text) ?? NameTable.none
    }

    /// The short way of an event whose outcome nobody waits for and whose first responder is sure
    /// to end it: one message in, one message out, no record. Returns whether that was possible.
    private mutating func emit(
        _ header: Header, _ origin: Origin, name: UInt32, from start: UInt32, _ payload: PayloadID
    ) -> Bool {
        guard let stop = router.nextStop(for: name, at: start, from: 0, in: hierarchy),
            stop.kind == .handle, hierarchy[stop.node].hasRoom,
            let holder = hierarchy[stop.node].holder
        else {
            return false
        }
        sendUnacknowledged(
            payload, header.fieldsLength, origin, name: name, to: stop, of: holder)
        giveBackUnacknowledged(origin.peer)
        return true
    }

    /// The last anybody here hears of the event.
    private mutating func sendUnacknowledged(
        _ payload: PayloadID, _ fieldsLength: UInt32, _ origin: Origin, name: UInt32,
        to stop: Stop, of holder: PeerID
    ) {
        introduce(to: holder, name: name, node: origin.node, session: origin.session)
        effects.append(
            .stamp(
                payload,
                Header(
                    .visit, flags: .unacknowledged, index: stop.responder,
                    fieldsLength: fieldsLength, node: stop.node, name: name,
                    sequence: origin.sequence, origin: origin.node, session: origin.session,
                    time: configuration.deadlineMilliseconds)))
        effects.append(.forward(payload, to: holder, itinerary: nil, isLast: true))
        hierarchy[stop.node].unansweredCount += 1
        counters.handled += 1
    }

    private mutating func insert(
        _ header: Header, _ origin: Origin, name: UInt32, text: EventName?, _ payload: PayloadID
    ) -> UInt32 {
        let milliseconds = header.time == 0 ? configuration.deadlineMilliseconds : header.time
        let deadline = now.advanced(byMilliseconds: milliseconds)
        let startedAt = now
        let event = propagations.insert(Propagation()) { record in
            record.origin = origin
            record.name = name
            record.text = text
            record.flags = header.flags
            record.cursor = 0
            record.delivery = Header.noNode
            record.payload = payload
            record.fieldsLength = header.fieldsLength
            record.isPayloadShared = false
            record.deadline = deadline
            record.startedAt = startedAt
        }
        propagations[event].deadlineHandle = deadlines.insert(deadline, .event(event))
        hierarchy[origin.node].pins += 1
        sessions.pin(origin.session)
        return event
    }

    // MARK: - The way up

    /// Hands the event to the next responder, or ends it if there is none.
    mutating func advance(_ event: UInt32) {
        let position = propagations[event].position
        resolveName(event)
        guard
            let stop = router.nextStop(
                for: propagations[event].name, at: position, from: propagations[event].cursor,
                in: hierarchy),
            let holder = hierarchy[stop.node].holder
        else {
            endUnhandled(event)
            return
        }
        move(event, to: stop.node, cursor: stop.responder)
        let delivery = deliveries.insert(.event(event), node: stop.node, peer: holder)
        propagations[event].delivery = delivery
        if hierarchy[stop.node].hasRoom {
            sendVisit(delivery, of: event)
        } else if !enqueue(delivery, at: stop.node, droppable: isUnacknowledged(event)) {
            deliveries.remove(delivery)
            finish(event)
        }
    }

    /// The name may have been given a number since the event was raised.
    private mutating func resolveName(_ event: UInt32) {
        if propagations[event].name == NameTable.none, let text = propagations[event].text {
            propagations[event].name = names.existingNumber(of: text) ?? NameTable.none
        }
    }

    private func isUnacknowledged(_ event: UInt32) -> Bool {
        propagations[event].flags.contains(.unacknowledged)
    }

    private mutating func move(_ event: UInt32, to node: UInt32, cursor: UInt16) {
        let position = propagations[event].position
        propagations[event].cursor = cursor
        guard node != position else {
            return
        }
        hierarchy[node].pins += 1
        propagations[event].position = node
        unpinNode(position)
    }

    /// Sends the visit. The responders are those that the node has now, on arrival.
    mutating func sendVisit(_ delivery: UInt32, of event: UInt32) {
        let node = deliveries[delivery].node
        let peer = deliveries[delivery].peer
        let name = propagations[event].name
        guard
            let stop = Router.stop(
                for: name, at: node, from: propagations[event].cursor, in: hierarchy)
        else {
            deliveries.remove(delivery)
            propagations[event].delivery = Header.noNode
            advance(event)
            return
        }
        if stop.kind == .handle, isUnacknowledged(event) {
            deliveries.remove(delivery)
            unshare(event)
            sendUnacknowledged(
                propagations[event].payload, propagations[event].fieldsLength,
                propagations[event].origin, name: name, to: stop, of: peer)
            finish(event, releasesPayload: false)
            return
        }
        router.itinerary(
            from: stop, for: name, in: hierarchy, into: &propagations[event].stops)
        markSent(delivery)
        cover(event)
        let origin = propagations[event].origin
        introduce(to: peer, name: name, node: origin.node, session: origin.session)
        stamp(event, delivery, stop)
        effects.append(
            .forward(
                propagations[event].payload, to: peer, itinerary: itinerary(of: event),
                isLast: false))
    }

    private mutating func stamp(_ event: UInt32, _ delivery: UInt32, _ stop: Stop) {
        let payload = propagations[event].payload
        let origin = propagations[event].origin
        unshare(event)
        effects.append(
            .stamp(
                payload,
                Header(
                    .visit, index: stop.responder,
                    fieldsLength: propagations[event].fieldsLength, node: stop.node,
                    name: propagations[event].name, id: deliveries.id(delivery),
                    sequence: origin.sequence, origin: origin.node, session: origin.session,
                    time: millisecondsLeft(until: propagations[event].deadline),
                    code: Lane.event.rawValue)))
    }

    private mutating func unshare(_ event: UInt32) {
        if propagations[event].isPayloadShared {
            propagations[event].isPayloadShared = false
            effects.append(.unshare(propagations[event].payload))
        }
    }

    private func itinerary(of event: UInt32) -> Itinerary? {
        guard propagations[event].stops.count > 1 else {
            return nil
        }
        return Itinerary(
            propagations[event].stops.map { Itinerary.Stop(node: $0.node, responder: $0.responder) }
        )
    }

    // MARK: - Verdict

    mutating func answered(
        _ event: UInt32, _ verdict: Verdict, newName: UInt32?, fieldsLength: UInt32,
        payload: PayloadID?, sentAt: Instant
    ) {
        propagations[event].delivery = Header.noNode
        let stops = propagations[event].stops
        let last = verdict.code == .passed ? stops.count - 1 : Int(verdict.stop)
        guard last < stops.count, stops[last].kind.allows(verdict.code) else {
            release(payload)
            fail(event, .badVerdict, at: propagations[event].position)
            return
        }
        record(verdict.code, of: event, through: last, sentAt)
        let stop = stops[last]
        switch verdict.code {
        case .handled:
            release(payload)
            settle(event, .handled, by: stop)
        case .failed where stop.kind != .observe:
            release(payload)
            fail(event, verdict.failure, at: stop.node)
        case .passed, .failed:
            release(payload)
            move(event, to: stop.node, cursor: stop.responder + 1)
            advance(event)
        case .replaced:
            guard let newName, let payload else {
                release(payload)
                fail(event, .badVerdict, at: stop.node)
                return
            }
            replace(event, newName, verdict.newName, fieldsLength, payload)
            move(event, to: stop.node, cursor: stop.responder + 1)
            advance(event)
        }
    }

    private mutating func replace(
        _ event: UInt32, _ name: UInt32, _ text: EventName?, _ fieldsLength: UInt32,
        _ payload: PayloadID
    ) {
        release(propagations[event].payload)
        propagations[event].payload = payload
        propagations[event].fieldsLength = fieldsLength
        propagations[event].isPayloadShared = false
        propagations[event].name = name
        propagations[event].text = text
    }

    private mutating func record(
        _ code: VerdictCode, of event: UInt32, through last: Int, _ sentAt: Instant
    ) {
        guard propagations[event].flags.contains(.wantsTrail) else {
            return
        }
        for (place, stop) in propagations[event].stops.prefix(last + 1).enumerated() {
            propagations[event].trail.append(
                VisitRecord(
                    path: hierarchy.path(of: stop.node), responder: Int(stop.responder),
                    kind: stop.kind, name: currentName(of: event),
                    verdict: place == last ? code : .passed,
                    microseconds: place == last ? Int(now.microseconds(since: sentAt)) : 0))
        }
    }

    private func currentName(of event: UInt32) -> EventName {
        names.name(propagations[event].name) ?? propagations[event].text
            ?? EventName(ErrorCode.badName)
    }

    // MARK: - The end

    private mutating func endUnhandled(_ event: UInt32) {
        if awaitingReattach != nil {
            awaitingReattach?.append(.event(event))
        } else {
            settle(event, .unhandled)
        }
    }

    mutating func eventTimedOut(_ event: UInt32) {
        propagations[event].deadlineHandle = DeadlineQueue.none
        let delivery = propagations[event].delivery
        guard delivery != Header.noNode else {
            awaitingReattach?.removeAll { $0 == .event(event) }
            settle(event, .unhandled)
            return
        }
        let node = deliveries[delivery].node
        let path = hierarchy.path(of: node)
        expire(delivery)
        settle(
            event, .timedOut,
            failure: Failure(.timedOut, message: "'\(path)' did not answer in time", node: path))
    }

    private mutating func fail(_ event: UInt32, _ failure: Failure?, at node: UInt32) {
        var failure = failure ?? Failure(.responderFailed)
        failure.node = hierarchy.path(of: node)
        settle(event, .failed, failure: failure)
    }

    mutating func fail(_ event: UInt32, _ code: ErrorCode, at node: UInt32) {
        fail(event, Failure(code, message: code.sentence), at: node)
    }

    /// The one place where an event ends.
    mutating func settle(
        _ event: UInt32, _ code: OutcomeCode, by stop: Stop? = nil, failure: Failure? = nil
    ) {
        counters.count(code)
        let origin = propagations[event].origin
        if !isUnacknowledged(event), peers.isGreeted(origin.peer) {
            peers[origin.peer].creditUsed -= 1
            introduce(to: origin.peer, node: stop?.node ?? Header.noNode)
            let ended = Ended(
                sequence: origin.sequence, code: code, node: stop?.node ?? Header.noNode,
                responder: stop?.responder ?? 0,
                microseconds: UInt32(
                    clamping: now.microseconds(since: propagations[event].startedAt)),
                failure: failure, trail: propagations[event].trail)
            if failure == nil, ended.trail.isEmpty {
                effects.append(.send(ended.header, to: origin.peer))
            } else {
                send(ended, to: origin.peer)
            }
        }
        finish(event)
    }

    /// Lets go of everything that an event holds.
    private mutating func finish(_ event: UInt32, releasesPayload: Bool = true) {
        let origin = propagations[event].origin
        if isUnacknowledged(event) {
            giveBackUnacknowledged(origin.peer)
        }
        let position = propagations[event].position
        if releasesPayload {
            release(propagations[event].payload)
        }
        deadlines.remove(&propagations[event].deadlineHandle)
        propagations[event].trail.removeAll(keepingCapacity: true)
        propagations[event].text = nil
        propagations.remove(event)
        unpinNode(position)
        unpinNode(origin.node)
        unpinSession(origin.session)
    }
}

extension ResponderKind {
    /// Whether a responder of this kind can answer so.
    fileprivate func allows(_ verdict: VerdictCode) -> Bool {
        switch (self, verdict) {
        case (.receive, .passed), (.receive, .handled), (.receive, .failed): true
        case (.handle, .handled), (.handle, .failed): true
        case (.transform, .replaced), (.transform, .failed): true
        case (.observe, .passed), (.observe, .failed): true
        default: false
        }
    }
}

extension ErrorCode {
    /// The words for the bus's own failures of events.
    fileprivate var sentence: String? {
        switch self {
        case .nodeLost: "the node was lost after it had accepted the event"
        case .badVerdict: "the node gave a verdict that its responder cannot give"
        default: nil
        }
    }
}
