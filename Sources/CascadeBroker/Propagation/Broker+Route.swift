// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// The way of one event: which responder comes next.
extension Broker {
    /// What the search for the next responder has come to.
    enum NextStop {
        case stop(Stop)
        /// There is none.
        case none
        /// A predicate has to be evaluated; the event goes on when its payload has been examined.
        case examining
    }

    /// The next responder to be asked: the first that matches, and whose predicate is true.
    mutating func nextStop(of event: EventIndex) -> NextStop {
        var place = propagations[event].position
        var cursor = propagations[event].cursor
        while let stop = candidate(for: event, at: place, from: cursor) {
            switch isAsked(stop, about: event) {
            case true?: return .stop(stop)
            case nil:
                examine(event)
                return .examining
            case false?:
                place = stop.node
                cursor = stop.responder + 1
            }
        }
        return .none
    }

    /// The next responder that matches, whatever its predicate says.
    private mutating func candidate(
        for event: EventIndex, at place: NodeIndex, from cursor: UInt16
    ) -> Stop? {
        guard propagations[event].fixedPath.isEmpty else {
            return candidateOnFixedPath(of: event, at: place, from: cursor)
        }
        return router.nextStop(
            for: propagations[event].name, propagations[event].lane, at: place, from: cursor,
            in: hierarchy)
    }

    /// What the responder's predicate says; `nil` as long as nobody has looked into the payload.
    private func isAsked(_ stop: Stop, about event: EventIndex) -> Bool? {
        guard hierarchy[stop.node].hasPredicate(stop.responder) else {
            return true
        }
        guard let predicate = hierarchy[stop.node].predicate(of: stop.responder),
            let facts = propagations[event].facts
        else {
            return nil
        }
        return predicate.evaluate { name in
            switch name {
            case "name": .string(currentName(of: event).description)
            case "origin": .string(hierarchy.path(of: propagations[event].origin.node).description)
            default: facts[name]
            }
        }
    }

    mutating func examine(_ event: EventIndex) {
        if propagations[event].examinationCount == 0 {
            lookInto(event)
        }
    }

    private mutating func lookInto(_ event: EventIndex) {
        propagations[event].examinationCount += 1
        examinationCount += 1
        effects.append(
            .examine(
                propagations[event].payload,
                .event(event)))
    }

    /// The event's payload is another one now. Who looks at the old one has to look again.
    mutating func forgetFacts(of event: EventIndex) {
        propagations[event].facts = nil
        if propagations[event].examinationCount > 0 {
            lookInto(event)
        }
    }

    /// The event's payload has been looked into.
    mutating func examined(
        _ event: EventIndex, fields: [UInt8], payload: [UInt8]
    ) {
        examinationCount -= 1
        guard propagations.contains(event) else {
            return
        }
        propagations[event].examinationCount -= 1
        guard propagations[event].examinationCount == 0 else {
            return
        }
        propagations[event].facts = Facts(fields: fields, payload: payload)
        let delivery = propagations[event].delivery
        if delivery != DeliveryIndex.none {
            pump(deliveries[delivery].node)
        } else if !propagations[event].isParked {
            goOn(event)
        }
    }

    /// The responder that the event meets at a node that it has reached: the responders are those
    /// that the node has now.
    func arrival(of event: EventIndex, at node: NodeIndex, from start: UInt16) -> NextStop {
        var cursor = start
        while let stop = Router.stop(
            for: propagations[event].name, propagations[event].lane, at: node, from: cursor,
            in: hierarchy)
        {
            switch isAsked(stop, about: event) {
            case true?: return .stop(stop)
            case nil: return .examining
            case false?: cursor = stop.responder + 1
            }
        }
        return .none
    }

    /// The same, for an event that goes on from there; `nil` if there is none, or if that cannot be
    /// told yet.
    func arrival(of event: EventIndex, at node: NodeIndex) -> Stop? {
        guard
            case .stop(let stop) = arrival(
                of: event, at: node, from: propagations[event].cursor)
        else {
            return nil
        }
        return stop
    }

    /// Notes the stops that one visit can cover: `first`, and what follows it at nodes of the same
    /// peer, as long as the event would go on as it is. The chain has the same result as one visit
    /// a stop.
    mutating func planVisit(of event: EventIndex, from first: Stop) {
        propagations[event].beginVisit(at: first)
        guard propagations[event].lane != .cascade else {
            return
        }
        let holder = hierarchy[first.node].holder
        var last = first
        while last.kind.mayPass, propagations[event].stops.count < Self.stopsMax,
            let next = candidate(for: event, at: last.node, from: last.responder + 1),
            hierarchy[next.node].holder == holder, let isAsked = isAsked(next, about: event)
        {
            if isAsked {
                propagations[event].stops.append(next)
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
