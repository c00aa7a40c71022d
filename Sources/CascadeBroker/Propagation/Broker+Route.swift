// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// The way of one event: which responder comes next.
extension Broker {
    /// Returns the next responder to be asked: the first that matches and whose predicate is true.
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

    /// Whether the responder's predicate is true of the event, or it has none.
    private mutating func isAsked(_ stop: Stop, about event: EventIndex) -> Bool {
        guard hierarchy[stop.node].hasPredicate(stop.responder),
            let predicate = hierarchy[stop.node].predicate(of: stop.responder)
        else {
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
        let facts = traffic.events.lastPredicateValues.facts(
            of: event, traffic.events[event].message.payload, of: account)
        var steps = 0
        let isTrue = predicate.evaluate(addingStepsTo: &steps) { name in
            switch name {
            case "name": .string(currentName(of: event).description)
            case "origin":
                .string(hierarchy.path(of: traffic.events[event].message.origin.node).description)
            default: facts[name]
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

    /// How many times that they may take about all events of one user that one input has go on.
    private static let inputFactor = 4

    /// The end of an event about which predicates have taken too many steps; `nil` for others.
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
    mutating func planVisit(
        _ delivery: DeliveryIndex, of event: EventIndex, from first: Stop
    ) {
        traffic.events[event].beginVisit(delivery, at: first)
        guard traffic.events[event].lane != .cascade else {
            return
        }
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
