// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Triggers: accepting an event, and emitting it at once if no peer waits for its outcome.
extension Broker {
    mutating func triggered(
        _ header: Header, by peer: PeerID, _ payload: Payload
    ) throws(WireError) {
        guard let code = LaneCode(rawValue: header.code) else {
            throw WireError("there is no lane \(header.code & 0xFF)")
        }
        var words: MessageFields?
        guard try takeRaised(header, by: peer, payload, &words) else {
            return
        }
        if let retried = words?.raised.retried {
            try retry(retried, header, by: peer)
            return
        }
        let checked = try checkRaised(header, .trigger, words, by: peer, payload)
        let origin = checked.origin
        if !checked.isAllowed {
            try checkNotRoot(header, origin)
        }
        let isDurable = header.flags.contains(.durable)
        if isDurable {
            try checkDurable(header, code.lane, from: origin)
        }
        if !checked.isInspection {
            observers.counters.count(.triggered)
        }
        if traffic.events.parking.hasTrials {
            finishTrials(from: origin.node)
        }
        // Behind a durable event of its session that is being written, it has to wait.
        let isFollowing =
            traffic.durable.isWriting && traffic.durable.isWriting(for: sessions[origin.session])
        let place = place(header, origin, words, of: peer)
        let start =
            header.node == Header.noNode || header.flags.contains(.includingSelf)
            ? place : hierarchy.parent(of: place)
        if checked.isAllowed, header.flags.contains(.unacknowledged), code.lane == .event,
            safety.gateCount == 0, !isFollowing,
            let (stop, holder) = emissionStop(
                of: checked.name, causes: code.causes, from: start)
        {
            if observers.monitors.want([.beginning(of: .event), .end(of: .event)]) {
                monitorEmitted(header, checked, words, payload, from: start, by: stop.node)
            }
            sendUnacknowledged(payload, origin, name: checked.name, code, to: stop, of: holder)
            returnUnacknowledgedCredit(peer)
            if header.node == Header.noNode {
                prune(origin.node)
            }
            return
        }
        var message = Message(
            header, checked, words, payload, at: now,
            standard: configuration.deadlineMilliseconds)
        if isDurable {
            message.becomeDurable(heldFor: configuration.durableMilliseconds)
        }
        if let words, words.raised.raisedAs?.isRepeated == true {
            message.markSentAgain()
        }
        guard checked.isAllowed else {
            reject(message, code.lane, by: peer)
            return
        }
        let event = insert(consume message, code.lane, at: start)
        if words?.raised.raisedAs != nil {
            markIfCrashed(event)
        }
        if code.lane == .error {
            report(event, words)
        }
        if isDurable {
            storeDurable(event)
        } else if isFollowing {
            followDurable(event)
        } else {
            startMoving(event)
        }
    }

    /// Throws if the holder of the root has triggered something: nothing is above the root.
    private func checkNotRoot(_ header: Header, _ origin: Origin) throws(WireError) {
        guard header.node == Header.noNode || origin.node != Hierarchy.root else {
            throw WireError(.rootReserved, "the root / is the bus itself; it triggers nothing")
        }
    }

    private mutating func checkDurable(
        _ header: Header, _ lane: Lane, from origin: Origin
    ) throws(WireError) {
        do throws(WireError) {
            try checkDurable(header, lane, of: origin.account)
        } catch {
            // The origin's place may have been made just now, for a session expected back.
            prune(origin.node)
            throw error
        }
    }

    private mutating func monitorEmitted(
        _ header: Header, _ checked: CheckedMessage, _ words: MessageFields?, _ payload: Payload,
        from start: NodeIndex, by node: NodeIndex
    ) {
        let message = Message(
            header, checked, words, payload, at: now,
            standard: configuration.deadlineMilliseconds)
        monitorEmitted(message, from: start, by: node)
    }

    /// Starts a message on its way.
    @inline(__always)
    mutating func startMoving(_ event: EventIndex) {
        traffic.events[event].startMoving()
        if traffic.events[event].message.causes > configuration.limits.causes {
            endLooped(event)
        } else {
            advance(event)
        }
    }

    /// Returns the first responder of an event without an awaited outcome and the holder of its node, if the
    /// responder is sure to end the event and the node has room for it. The event is then forwarded to it at
    /// once, without a record.
    @inline(__always)
    private mutating func emissionStop(
        of name: NameIndex, causes: UInt16, from start: NodeIndex
    ) -> (stop: Stop, holder: PeerID)? {
        guard
            let stop = traffic.events.router.nextStop(
                for: name, .event, at: start, from: 0, in: hierarchy),
            stop.kind == .handle, causes <= configuration.limits.causes,
            let holder = hierarchy[stop.node].holder(ofEventFor: stop.responder)
        else {
            return nil
        }
        return (stop, holder)
    }

    /// Sends the event without waiting for an answer; the broker does not track it further.
    mutating func sendUnacknowledged(
        _ payload: Payload, _ origin: Origin, name: NameIndex,
        _ code: LaneCode, to stop: Stop, of holder: PeerID
    ) {
        notifyBeforeMessage(stop.node)
        introduce(to: holder, name: name, node: origin.node, session: origin.session)
        forward(
            payload,
            Header(
                .visit, flags: .unacknowledged, index: stop.responder,
                fieldsLength: payload.fieldsLength, node: stop.node.number,
                name: name.number, sequence: origin.sequence, origin: origin.node.number,
                session: origin.session.number,
                time: configuration.deadlineMilliseconds, code: code.rawValue), to: holder,
            isLast: true)
        release(payload)
        countSent(UInt32(clamping: payload.count), to: stop.node)
        observers.counters.count(.handled)
    }

    /// Makes the event's record, and pins the records to which it refers.
    mutating func insert(
        _ message: consuming Message, _ lane: Lane, at start: NodeIndex
    ) -> EventIndex {
        let event = traffic.events.take()
        let deadline = deadlines.insert(message.deadline, .event(event))
        // Once as the start, once as the position.
        hierarchy[start].pin(2)
        traffic.events.paths.insert(event, at: start)
        pin(message)
        if let session = peers.waitingSession(of: message) {
            traffic.events.track(event, of: session)
        }
        traffic.events[event].begin(message, in: lane, at: start, until: deadline, now)
        monitorTriggered(event)
        return event
    }
}
