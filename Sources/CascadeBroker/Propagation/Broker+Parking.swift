// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events that wait for a responder: those held at their own request and, after a restart of the
/// daemon, all that would otherwise end without a node that is expected back.
extension Broker {
    /// Returns whether the unhandled event waits for a later responder.
    func mayPark(_ event: EventIndex) -> Bool {
        // An emitted event is handled at most once, and a node may have handled it already.
        guard !traffic.events[event].message.isUnacknowledged || !traffic.events[event].mayHaveBegun
        else {
            return false
        }
        if traffic.events.parking.isAwaitingReattach {
            return true
        }
        return mayHold(event) && holdRefusal(of: event) == nil
    }

    /// Whether the event asks to be held, and its hold time has not passed.
    private func mayHold(_ event: EventIndex) -> Bool {
        guard let deadline = traffic.events[event].holdDeadline else {
            return false
        }
        return deadline > now && traffic.events[event].lastFailure == nil
    }

    /// Returns why there is no room to hold the event; `nil` if there is, or if it asks for none.
    func holdRefusal(of event: EventIndex) -> Failure? {
        // Durable events have bounds of their own.
        guard mayHold(event), !traffic.events[event].message.isDurable else {
            return nil
        }
        let account = traffic.events[event].message.origin.account
        do throws(WireError) {
            try share(of: account, in: .held).check(1)
            try share(of: account, in: .heldBytes)
                .check(traffic.events[event].message.payload.count)
            return nil
        } catch {
            return Failure(error.code, message: "the event was not held: \(error.description)")
        }
    }

    /// The event is one of those that are held, or no longer. It has its message all the time.
    private mutating func chargeHeld(_ event: EventIndex, _ sign: Int) {
        guard !traffic.events[event].message.isDurable else {
            return
        }
        let account = traffic.events[event].message.origin.account
        accounts.charge(sign, .held, to: account)
        accounts.charge(
            sign * traffic.events[event].message.payload.count, .heldBytes, to: account)
    }

    mutating func park(_ event: EventIndex) {
        guard !traffic.events[event].hasPassedBy else {
            startAgain(event)
            return
        }
        let reason = traffic.events.parking.park(event)
        traffic.events[event].park(reason)
        guard reason == .held, let deadline = traffic.events[event].holdDeadline else {
            return
        }
        chargeHeld(event, 1)
        deadlines.remove(traffic.events[event].deadline)
        traffic.events[event].wait(until: deadlines.insert(deadline, .event(event)))
        reportUnhandled(.kept, event)
    }

    mutating func unpark(_ event: EventIndex) {
        if let reason = traffic.events[event].unpark(),
            traffic.events.parking.remove(event, parkedAs: reason),
            reason == .held
        {
            chargeHeld(event, -1)
        }
    }

    /// Returns the events with one of these nodes on their paths. A node attaches far more often
    /// than an event waits for it: the cost depends on the descendants of the nodes, not on all
    /// waiting events.
    private func eventsThatMayCome(by nodes: [NodeIndex]) -> [EventIndex] {
        guard !nodes.isEmpty, traffic.events.count > 0 else {
            return []
        }
        let events = eventsThatStarted(atOrBelow: nodes)
        return traffic.events.paths.fixedEvents.isEmpty
            ? events : Array(Set(traffic.events.paths.fixedEvents).union(events))
    }

    func eventsThatStarted(atOrBelow nodes: [NodeIndex]) -> [EventIndex] {
        var places: Set<NodeIndex> = []
        for node in nodes where !places.contains(node) {
            // Where more places are below than there are events, these are looked at, all of them.
            let below = hierarchy.subtree(of: node, countMax: traffic.events.count)
            places.formUnion(below ?? [])
            guard below != nil, places.count <= traffic.events.count else {
                return traffic.events.indices.filter { event in
                    nodes.contains { hierarchy.isAtOrBelow(traffic.events[event].start, $0) }
                }
            }
        }
        return places.flatMap { traffic.events.paths.events(at: $0) }
    }

    /// Retries events that may have found a responder in these nodes. Such an event starts again
    /// from its origin, for it may have passed the place of a node that had not attached yet.
    mutating func retryParked(_ nodes: [NodeIndex]) {
        let nodes = nodes.filter {
            hierarchy.contains($0) && !hierarchy[$0].responders.isEmpty
        }
        let events = eventsThatMayCome(by: nodes)
        traffic.events.parking.tryWith(nodes, events.filter { isHeld($0) || mayWait($0) })
        if traffic.events.parking.hasTrials {
            continueTrials()
        }
        let leaving = events.filter {
            isWaiting(.event($0)) && mayRespond(nodes, to: $0)
        }
        for subject in traffic.events.parking.takeAwaitingReattach(Set(leaving))
        where isWaiting(subject) {
            switch subject {
            case .event(let event):
                traffic.events[event].unpark()
                startAgain(event)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }

    /// Whether an entry that waited for nodes still waits: an earlier retry may have ended it.
    private func isWaiting(_ subject: Delivery.Subject) -> Bool {
        switch subject {
        case .event(let event):
            traffic.events.contains(event) && traffic.events[event].isParked(.awaitingReattach)
        case .publication(let publication):
            traffic.publications.contains(publication)
        }
    }

    /// Bytes of messages that are read in one slice of the trials, and steps of predicates about
    /// them: some five milliseconds.
    private static let stepsPerSlice: UInt64 = 1 << 18
    /// Milliseconds between two slices, left for other work.
    private static let pauseMilliseconds: UInt32 = 10

    /// Tests events against nodes that have attached: a held event continues if it meets a
    /// responder, and one under way that has passed the node remembers that there is one.
    /// Predicates may have to read all the messages, so this is done in slices.
    mutating func continueTrials() {
        deadlines.remove(traffic.events.parking.nextTrials)
        let begin = traffic.events.lastPredicateValues.stepCount
        var leaving: Set<EventIndex> = []
        while traffic.events.lastPredicateValues.stepCount - begin < Self.stepsPerSlice,
            let (nodes, event) = traffic.events.parking.nextTrial()
        {
            tryAgain(event, with: nodes, &leaving)
        }
        if traffic.events.parking.hasTrials {
            traffic.events.parking.continueTrials(
                at: deadlines.insert(
                    now.advanced(byMilliseconds: Self.pauseMilliseconds), .trials))
        }
        startHeld(leaving)
    }

    /// Tries the events of an origin at once: it is about to raise another one, which must not
    /// overtake them.
    mutating func finishTrials(from origin: NodeIndex) {
        var leaving: Set<EventIndex> = []
        let events = traffic.events.parking.triedEvents.filter { event in
            traffic.events.contains(event) && traffic.events[event].message.origin.node == origin
        }
        let trials = traffic.events.parking.takeTrials(of: Set(events))
        for (nodes, event) in trials {
            tryAgain(event, with: nodes, &leaving)
        }
        startHeld(leaving)
    }

    private mutating func tryAgain(
        _ event: EventIndex, with nodes: [NodeIndex], _ leaving: inout Set<EventIndex>
    ) {
        guard traffic.events.contains(event) else {
            return
        }
        if isHeld(event) {
            if mayRespond(nodes, to: event) {
                leaving.insert(event)
            }
        } else if mayWait(event) {
            let behind = nodes.filter { isBehind($0, event) }
            if !behind.isEmpty, mayRespond(behind, to: event) {
                traffic.events[event].markPassedBy()
            }
        }
    }

    private mutating func startHeld(_ events: Set<EventIndex>) {
        let ready = traffic.events.parking.takeHeld(events)
        for event in ready {
            chargeHeld(event, -1)
        }
        // An earlier retry may have ended this one.
        for event in ready
        where traffic.events.contains(event) && traffic.events[event].unpark() != nil {
            renewDeadline(event)
            reportUnhandled(.retried, event)
            startAgain(event)
        }
    }

    private func isHeld(_ event: EventIndex) -> Bool {
        traffic.events[event].isParked(.held)
    }

    private func mayWait(_ event: EventIndex) -> Bool {
        if case .parked = traffic.events[event].stage {
            return false
        }
        return traffic.events[event].lane != .cascade
            && (traffic.events.parking.isAwaitingReattach
                || traffic.events[event].holdDeadline != nil)
    }

    /// Whether the event has been by the node's place, which is on its path, and is above it now.
    private func isBehind(_ node: NodeIndex, _ event: EventIndex) -> Bool {
        let position = traffic.events[event].position
        guard position != NodeIndex.none, hierarchy.contains(node) else {
            return false
        }
        if let path = traffic.events.paths.fixedPath(of: event) {
            return path.prefix { $0 != position }.contains(node)
        }
        return hierarchy[node].links.depth > hierarchy[position].links.depth
            && hierarchy.isAtOrBelow(traffic.events[event].start, node)
    }

    private mutating func startAgain(_ event: EventIndex) {
        traffic.events[event].beginAgain()
        move(event, to: traffic.events[event].start, cursor: traffic.events[event].startCursor)
        advance(event)
    }

    private mutating func mayRespond(_ nodes: [NodeIndex], to event: EventIndex) -> Bool {
        traffic.events[event].resolveName(in: names)
        for node in nodes where hierarchy.contains(node) && isOnPath(node, of: event) {
            let isStart = node == traffic.events[event].start
            let cursor = isStart ? traffic.events[event].startCursor : 0
            if arrival(of: event, at: node, from: cursor) == nil {
                continue
            }
            return true
        }
        return false
    }

    /// How much longer nodes of the daemon before are waited for, rounded up.
    var reattachMillisecondsLeft: UInt32 {
        guard traffic.events.parking.isAwaitingReattach else {
            return 0
        }
        let time = configuration.reattachMilliseconds
        let passed = UInt32(clamping: now.microseconds(since: startedAt) / 1_000)
        return max(1, time - min(passed, time))
    }

    /// Ends the wait for sessions that have not resumed by now.
    mutating func reattachEnded() {
        for subject in traffic.events.parking.endReattach() where isWaiting(subject) {
            switch subject {
            case .event(let event):
                traffic.events[event].unpark()
                advance(event)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }
}
