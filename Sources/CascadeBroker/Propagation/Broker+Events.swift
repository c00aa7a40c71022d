// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// Events on their way up: which responder comes next, and the visit to it.
extension Broker {
    /// Passes the event to the next responder, or ends it if there is none.
    mutating func advance(_ event: EventIndex) {
        if case .rejected(let failure) = traffic.events[event].stage {
            settle(event, .rejected, failure: failure)
            return
        }
        traffic.events[event].resolveName(in: names)
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

    @inline(__always)
    mutating func move(_ event: EventIndex, to node: NodeIndex, cursor: UInt16) {
        let position = traffic.events[event].position
        traffic.events[event].move(to: node, cursor: cursor)
        guard node != position else {
            return
        }
        hierarchy[node].pin()
        unpinNode(position)
    }

    // MARK: - The visit

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
    @inline(__always)
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
        let told =
            node == Hierarchy.root ? flagsOfRootVisit(of: event) : flags.intersection(.sentAgain)
        planVisit(delivery, of: event, from: stop)
        let itinerary = traffic.events[event].hasLaterStops ? beginItinerary(of: event) : nil
        markSent(delivery, byteCount: UInt32(clamping: payload.count))
        notifyBeforeMessage(node)
        introduce(to: peer, name: name, node: origin.node, session: origin.session)
        forward(
            payload,
            Header(
                .visit, flags: told, index: stop.responder, fieldsLength: payload.fieldsLength,
                node: stop.node.number,
                name: name.number, id: DeliveryID(delivery).wire, sequence: origin.sequence,
                origin: origin.node.number, session: origin.session.number,
                time: millisecondsLeft(until: traffic.events[event].message.deadline),
                code: code.rawValue), to: peer, itinerary: itinerary)
    }

    /// Lets the event wait longer for the root. Returns what the root learns about it: what it needs to raise
    /// it elsewhere.
    @inline(never)
    private mutating func flagsOfRootVisit(of event: EventIndex) -> HeaderFlags {
        waitForAbove(event)
        return traffic.events[event].message.flags.intersection(.ofRootVisit)
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

    // MARK: - The next responder

    /// Returns the next responder to be asked: the first that matches and whose predicate is true.
    @inline(__always)
    mutating func nextStop(of event: EventIndex) -> Stop? {
        var place = traffic.events[event].position
        var cursor = traffic.events[event].cursor
        while let stop = candidate(for: event, at: place, from: cursor) {
            if isAsked(stop, about: event) {
                return stop
            }
            place = stop.node
            cursor = stop.responder + 1
        }
        return nil
    }

    /// Returns the next matching responder, apart from its predicate.
    @inline(__always)
    private mutating func candidate(
        for event: EventIndex, at place: NodeIndex, from cursor: UInt16
    ) -> Stop? {
        if case .some = traffic.events.paths.fixedPath(of: event) {
            return candidateOnFixedPath(of: event, at: place, from: cursor)
        }
        return traffic.events.router.nextStop(
            for: traffic.events[event].message.name, traffic.events[event].lane, at: place,
            from: cursor,
            in: hierarchy)
    }

    /// Whether the responder's predicate is true of the event, or it has none. A request that inspects
    /// other buses is asked of nodes that connect one.
    @inline(__always)
    private mutating func isAsked(_ stop: Stop, about event: EventIndex) -> Bool {
        if stop.kind == .respond, traffic.events[event].message.isInspection,
            !hierarchy[stop.node].isUplink
        {
            return false
        }
        return !hierarchy[stop.node].hasPredicate(stop.responder) || meetsPredicate(of: stop, event)
    }

    private mutating func meetsPredicate(of stop: Stop, _ event: EventIndex) -> Bool {
        guard let predicate = hierarchy[stop.node].predicate(of: stop.responder) else {
            return true
        }
        let account = traffic.events[event].message.origin.account
        if traffic.events.lastPredicateValues.stepCountOfInput(of: account) > Self.inputFactor
            * stepsMax,
            !traffic.events[event].isParked(.held)
        {
            traffic.events[event].spendPredicateSteps(nil)
        }
        guard traffic.events[event].predicateSteps <= stepsMax else {
            return false
        }
        let values = traffic.events.lastPredicateValues.values(
            of: event, traffic.events[event].message.payload, of: account)
        var steps = 0
        let isTrue = predicate.evaluate(addingStepsTo: &steps) { name in
            switch name {
            case "name": .string(currentName(of: event).description)
            case "origin":
                .string(hierarchy.path(of: traffic.events[event].message.origin.node).description)
            default: values[name]
            }
        }
        traffic.events.lastPredicateValues.add(steps, of: account)
        traffic.events[event].spendPredicateSteps(steps)
        return isTrue && traffic.events[event].predicateSteps <= stepsMax
    }

    /// Steps that predicates may take about one event. When they have taken more, it is asked about
    /// no more, and ends where it would go on.
    var stepsMax: Int {
        Int(configuration.limits.predicateSteps)
    }

    /// So many times ``stepsMax`` is the limit for all events of one user that one input moves on.
    private static let inputFactor = 4

    /// The failure of an event about which predicates have taken too many steps.
    func failureOfPredicates(about event: EventIndex) -> Failure {
        Failure(
            .limitReached,
            message: "the predicates of responders have taken more than "
                + "\(configuration.limits.predicateSteps) steps about the event, the last one at "
                + "or above '\(hierarchy.path(of: traffic.events[event].position))' (limit "
                + "predicateSteps)")
    }

    /// The responder that the event meets at a node that it has reached: the responders are those
    /// that the node has now.
    mutating func arrival(of event: EventIndex, at node: NodeIndex, from start: UInt16) -> Stop? {
        var cursor = start
        while let stop = Router.stop(
            for: traffic.events[event].message.name, traffic.events[event].lane, at: node,
            from: cursor,
            in: hierarchy)
        {
            if isAsked(stop, about: event) {
                return stop
            }
            cursor = stop.responder + 1
        }
        return nil
    }

    /// The same, for an event that continues from there.
    mutating func arrival(of event: EventIndex, at node: NodeIndex) -> Stop? {
        arrival(of: event, at: node, from: traffic.events[event].cursor)
    }

    /// Records the stops that one visit can cover: `first`, and the following ones at nodes of the
    /// same peer, as long as the event would continue unchanged. The result is the same as with one
    /// visit for each stop.
    @inline(__always)
    private mutating func planVisit(
        _ delivery: DeliveryIndex, of event: EventIndex, from first: Stop
    ) {
        traffic.events[event].beginVisit(delivery, at: first)
        if first.kind.mayPass, traffic.events[event].lane != .cascade {
            extendVisit(of: event, from: first)
        }
    }

    private mutating func extendVisit(of event: EventIndex, from first: Stop) {
        let holder = hierarchy[first.node].holder
        var last = first
        var count = 1
        while last.kind.mayPass, count < Self.stopsMax,
            let next = candidate(for: event, at: last.node, from: last.responder + 1),
            hierarchy[next.node].holder == holder
        {
            let isAsked = isAsked(next, about: event)
            if isAsked {
                traffic.events[event].extendVisit(to: next)
                count += 1
            }
            last = Stop(
                node: next.node, responder: next.responder, kind: isAsked ? next.kind : .observe)
        }
    }

    /// More stops than this go into a second visit.
    private static let stopsMax = 64
}

extension ResponderKind {
    /// Whether the next responder may be asked about the same, whatever this one answers.
    fileprivate var mayPass: Bool {
        switch self {
        case .receive, .observe, .respond, .receiveError: true
        case .handle, .transform, .catch, .handleError, .transformError: false
        }
    }
}
