// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events on their way up, from visit to visit.
extension Broker {
    /// Passes the event to the next responder, or ends it if there is none.
    mutating func advance(_ event: EventIndex) {
        if case .rejected(let failure) = traffic.events[event].stage {
            settle(event, .rejected, failure: failure)
            return
        }
        resolveName(ofEvent: event)
        let stop = nextStop(of: event)
        guard traffic.events[event].predicateSteps <= stepsMax else {
            settle(event, .failed, failure: failureOfPredicates(about: event))
            return
        }
        guard let stop else {
            if passesDeclarations(event, upTo: nil) {
                reachedTop(event)
            }
            return
        }
        guard passesDeclarations(event, upTo: stop.node),
            let holder = hierarchy[stop.node].holder
        else {
            return
        }
        move(event, to: stop.node, cursor: stop.responder)
        let delivery = traffic.deliveries.insert(.event(event), node: stop.node, peer: holder)
        if hierarchy[stop.node].hasRoom {
            sendVisit(delivery, of: event, at: stop)
        } else if enqueue(
            delivery, at: stop.node,
            emitter: traffic.events[event].message.isUnacknowledged
                ? traffic.events[event].message.origin.account : nil)
        {
            traffic.events[event].queue(delivery)
        } else {
            traffic.deliveries.remove(delivery)
            finish(event)
        }
    }

    /// The name may have been numbered since the event was raised.
    mutating func resolveName(ofEvent event: EventIndex) {
        if traffic.events[event].message.name == NameIndex.none,
            let text = traffic.events[event].message.text
        {
            traffic.events[event].message.number(names.existingNumber(of: text) ?? NameIndex.none)
        }
    }

    mutating func move(_ event: EventIndex, to node: NodeIndex, cursor: UInt16) {
        let position = traffic.events[event].position
        traffic.events[event].move(to: node, cursor: cursor)
        guard node != position else {
            return
        }
        hierarchy[node].pin()
        unpinNode(position)
    }

    /// Sends the visit that has waited. The responders are those that the node has now, on arrival.
    mutating func sendVisit(_ delivery: DeliveryIndex, of event: EventIndex) {
        guard let stop = arrival(of: event, at: traffic.deliveries[delivery].node) else {
            traffic.deliveries.remove(delivery)
            traffic.events[event].endDelivery()
            advance(event)
            return
        }
        sendVisit(delivery, of: event, at: stop)
    }

    /// Sends the visit to the responder that the event has come to.
    private mutating func sendVisit(
        _ delivery: DeliveryIndex, of event: EventIndex, at stop: Stop
    ) {
        let node = stop.node
        let peer = traffic.deliveries[delivery].peer
        let name = traffic.events[event].message.name
        let origin = traffic.events[event].message.origin
        let payload = traffic.events[event].message.payload
        let flags = traffic.events[event].message.flags
        let lane = traffic.events[event].lane
        let code = LaneCode(lane, causes: traffic.events[event].message.causes)
        if stop.kind == .handle, flags.contains(.unacknowledged), lane == .event {
            traffic.deliveries.remove(delivery)
            sendUnacknowledged(payload, origin, name: name, code, to: stop, of: peer)
            finish(event)
            return
        }
        planVisit(delivery, of: event, from: stop)
        let itinerary = traffic.events[event].hasLaterStops ? beginItinerary(of: event) : nil
        markSent(delivery, byteCount: UInt32(clamping: payload.count))
        notifyBeforeMessage(node)
        introduce(to: peer, name: name, node: origin.node, session: origin.session)
        forward(
            payload,
            Header(
                .visit, flags: flags.intersection(.sentAgain), index: stop.responder,
                fieldsLength: payload.fieldsLength, node: stop.node.number,
                name: name.number, id: traffic.deliveries.id(delivery), sequence: origin.sequence,
                origin: origin.node.number, session: origin.session.number,
                time: millisecondsLeft(until: traffic.events[event].message.deadline),
                code: code.rawValue), to: peer, itinerary: itinerary)
    }

    /// The stops of a visit that was planned with several; `nil` if one is left.
    private mutating func beginItinerary(of event: EventIndex) -> Itinerary? {
        cutItinerary(of: event)
        guard traffic.events[event].hasLaterStops else {
            return nil
        }
        cover(event)
        let stops = traffic.events[event].stops
        return Itinerary(
            stops.map { Itinerary.Stop(node: $0.node.number, responder: $0.responder) })
    }
}
