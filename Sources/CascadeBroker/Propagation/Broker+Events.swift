// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events on their way up, from visit to visit.
extension Broker {
    /// Hands the event to the next responder, or ends it if there is none.
    mutating func advance(_ event: EventIndex) {
        if case .rejected(let failure) = propagations[event].stage {
            settle(event, .rejected, failure: failure)
            return
        }
        resolveName(ofEvent: event)
        let stop = nextStop(of: event)
        if let failure = failureOfPredicates(about: event) {
            settle(event, .failed, failure: failure)
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
        let delivery = deliveries.insert(.event(event), node: stop.node, peer: holder)
        if hierarchy[stop.node].hasRoom {
            sendVisit(delivery, of: event, at: stop)
        } else if enqueue(
            delivery, at: stop.node,
            emitter: isUnacknowledged(event) ? propagations[event].message.origin.account : nil)
        {
            propagations[event].queue(delivery)
        } else {
            deliveries.remove(delivery)
            finish(event)
        }
    }

    /// The name may have been given a number since the event was raised.
    mutating func resolveName(ofEvent event: EventIndex) {
        if propagations[event].message.name == NameIndex.none,
            let text = propagations[event].message.text
        {
            propagations[event].message.name = names.existingNumber(of: text) ?? NameIndex.none
        }
    }

    func isUnacknowledged(_ event: EventIndex) -> Bool {
        propagations[event].message.flags.contains(.unacknowledged)
    }

    mutating func move(_ event: EventIndex, to node: NodeIndex, cursor: UInt16) {
        let position = propagations[event].position
        propagations[event].cursor = cursor
        guard node != position else {
            return
        }
        hierarchy[node].pins += 1
        propagations[event].position = node
        unpinNode(position)
    }

    /// Sends the visit that has waited. The responders are those that the node has now, on arrival.
    mutating func sendVisit(_ delivery: DeliveryIndex, of event: EventIndex) {
        guard let stop = arrival(of: event, at: deliveries[delivery].node) else {
            deliveries.remove(delivery)
            propagations[event].endDelivery()
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
        let peer = deliveries[delivery].peer
        let name = propagations[event].message.name
        let origin = propagations[event].message.origin
        let payload = propagations[event].message.payload
        let flags = propagations[event].message.flags
        let lane = propagations[event].lane
        let code = LaneCode(lane, causes: propagations[event].message.causes)
        if stop.kind == .handle, flags.contains(.unacknowledged), lane == .event {
            deliveries.remove(delivery)
            sendUnacknowledged(payload, origin, name: name, code, to: stop, of: peer)
            finish(event)
            return
        }
        planVisit(delivery, of: event, from: stop)
        let itinerary = propagations[event].hasLaterStops ? beginItinerary(of: event) : nil
        markSent(delivery, byteCount: UInt32(clamping: payload.count))
        tellBeforeMessage(node)
        introduce(to: peer, name: name, node: origin.node, session: origin.session)
        forward(
            payload,
            Header(
                .visit, flags: flags.intersection(.sentAgain), index: stop.responder,
                fieldsLength: payload.fieldsLength, node: stop.node.number,
                name: name.number, id: deliveries.id(delivery), sequence: origin.sequence,
                origin: origin.node.number, session: origin.session.number,
                time: millisecondsLeft(until: propagations[event].message.deadline),
                code: code.rawValue), to: peer, itinerary: itinerary)
    }

    /// The stops of a visit that was planned with several; `nil` if one is left.
    private mutating func beginItinerary(of event: EventIndex) -> Itinerary? {
        cutItinerary(of: event)
        guard propagations[event].hasLaterStops else {
            return nil
        }
        cover(event)
        let stops = propagations[event].stops
        return Itinerary(
            stops.map { Itinerary.Stop(node: $0.node.number, responder: $0.responder) })
    }
}
