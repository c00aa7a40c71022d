// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events that wait for a responder: those held at their own request and, after a restart of the
/// daemon, all that would otherwise end without a node that is expected back.
extension Broker {
    /// Returns whether the unhandled event waits for a later responder.
    func mayPark(_ event: EventIndex) -> Bool {
        // An emitted event is handled at most once, and a node may have handled it already.
        guard !isUnacknowledged(event) || !propagations[event].mayHaveBegun else {
            return false
        }
        if propagations.parking.isAwaitingReattach {
            return true
        }
        guard let deadline = propagations[event].holdDeadline, deadline > now,
            propagations[event].lastFailure == nil
        else {
            return false
        }
        let account = propagations[event].message.origin.account
        let byteCount = propagations[event].message.payload.count
        // Durable events have bounds of their own.
        return isDurable(event)
            || (share(of: account, in: .held).hasRoom(for: 1)
                && share(of: account, in: .heldBytes).hasRoom(for: byteCount))
    }

    /// The event is one of those that are held, or no longer. It has its message all the time.
    private mutating func chargeHeld(_ event: EventIndex, _ sign: Int) {
        guard !isDurable(event) else {
            return
        }
        let account = propagations[event].message.origin.account
        accounts.charge(sign, .held, to: account)
        accounts.charge(
            sign * propagations[event].message.payload.count, .heldBytes, to: account)
    }

    mutating func park(_ event: EventIndex) {
        guard !propagations[event].hasPassedBy else {
            startAgain(event)
            return
        }
        let reason = propagations.parking.park(event)
        propagations[event].park(reason)
        guard reason == .held, let deadline = propagations[event].holdDeadline else {
            return
        }
        chargeHeld(event, 1)
        deadlines.remove(&propagations[event].deadlineHandle)
        propagations[event].deadlineHandle = deadlines.insert(deadline, .event(event))
    }

    mutating func unpark(_ event: EventIndex) {
        if let reason = propagations[event].unpark(),
            propagations.parking.remove(event, parkedAs: reason),
            reason == .held
        {
            chargeHeld(event, -1)
        }
    }

    /// Events with one of these nodes on their paths. A node attaches far more often than an event
    /// waits for it: what it costs depends on what is below the nodes, not on all that waits.
    private func eventsThatMayCome(by nodes: [NodeIndex]) -> [EventIndex] {
        guard !nodes.isEmpty, propagations.count > 0 else {
            return []
        }
        let events = eventsThatStarted(atOrBelow: nodes)
        return propagations.paths.fixedEvents.isEmpty
            ? events : Array(Set(propagations.paths.fixedEvents).union(events))
    }

    func eventsThatStarted(atOrBelow nodes: [NodeIndex]) -> [EventIndex] {
        var places: Set<NodeIndex> = []
        for node in nodes where !places.contains(node) {
            // Where more places are below than there are events, these are looked at, all of them.
            let below = hierarchy.subtree(of: node, countMax: propagations.count)
            places.formUnion(below ?? [])
            guard below != nil, places.count <= propagations.count else {
                return propagations.indices.filter { event in
                    nodes.contains { hierarchy.isAtOrBelow(propagations[event].start, $0) }
                }
            }
        }
        return places.flatMap { propagations.paths.events(at: $0) }
    }

    /// Tries again what may have found a responder in these nodes. An event starts again where
    /// it began: it may have passed the place of a node that was not back yet.
    mutating func retryParked(_ nodes: [NodeIndex]) {
        let nodes = nodes.filter {
            hierarchy.contains($0) && !hierarchy[$0].responders.isEmpty
        }
        let events = eventsThatMayCome(by: nodes)
        propagations.parking.tryWith(nodes, events.filter { isHeld($0) || mayWait($0) })
        if propagations.parking.hasTrials {
            continueTrials()
        }
        let leaving = events.filter {
            isWaiting(.event($0)) && mayRespond(nodes, to: $0)
        }
        for subject in propagations.parking.takeAwaitingReattach(Set(leaving))
        where isWaiting(subject) {
            switch subject {
            case .event(let event):
                propagations[event].unpark()
                startAgain(event)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }

    /// Whether what waited for nodes to come back still does: what was tried before it may have
    /// ended it.
    private func isWaiting(_ subject: Delivery.Subject) -> Bool {
        switch subject {
        case .event(let event):
            propagations.contains(event) && propagations[event].isParked(.awaitingReattach)
        case .publication(let publication):
            publications.contains(publication)
        }
    }

    /// Bytes of messages that are read in one slice of the trials, and steps of predicates about
    /// them: some five milliseconds.
    private static let stepsPerSlice: UInt64 = 1 << 18
    /// What the broker has for others between two slices.
    private static let pauseMilliseconds: UInt32 = 10

    /// Tries events with nodes that have come: one that is held goes on if it meets a responder, and
    /// one under way that has passed the node by remembers that there is one. Predicates may have
    /// to read all the messages, so this is done in slices.
    mutating func continueTrials() {
        deadlines.remove(&propagations.parking.trialHandle)
        let begin = propagations.lastFacts.stepCount
        var leaving: Set<EventIndex> = []
        while propagations.lastFacts.stepCount - begin < Self.stepsPerSlice,
            let (nodes, event) = propagations.parking.nextTrial()
        {
            tryAgain(event, with: nodes, &leaving)
        }
        if propagations.parking.hasTrials {
            propagations.parking.trialHandle = deadlines.insert(
                now.advanced(byMilliseconds: Self.pauseMilliseconds), .trials)
        }
        startHeld(leaving)
    }

    /// Tries the events of an origin at once: it is about to raise another one, which must not
    /// overtake them.
    mutating func finishTrials(from origin: NodeIndex) {
        var leaving: Set<EventIndex> = []
        let events = propagations.parking.triedEvents.filter { event in
            propagations.contains(event) && propagations[event].message.origin.node == origin
        }
        let trials = propagations.parking.takeTrials(of: Set(events))
        for (nodes, event) in trials {
            tryAgain(event, with: nodes, &leaving)
        }
        startHeld(leaving)
    }

    private mutating func tryAgain(
        _ event: EventIndex, with nodes: [NodeIndex], _ leaving: inout Set<EventIndex>
    ) {
        guard propagations.contains(event) else {
            return
        }
        if isHeld(event) {
            if mayRespond(nodes, to: event) {
                leaving.insert(event)
            }
        } else if mayWait(event) {
            let behind = nodes.filter { isBehind($0, event) }
            if !behind.isEmpty, mayRespond(behind, to: event) {
                propagations[event].hasPassedBy = true
            }
        }
    }

    private mutating func startHeld(_ events: Set<EventIndex>) {
        let ready = propagations.parking.takeHeld(events)
        for event in ready {
            chargeHeld(event, -1)
        }
        // What was tried before may have ended the next one.
        for event in ready
        where propagations.contains(event) && propagations[event].unpark() != nil {
            giveFreshDeadline(event)
            startAgain(event)
        }
    }

    private func isHeld(_ event: EventIndex) -> Bool {
        propagations[event].isParked(.held)
    }

    private func mayWait(_ event: EventIndex) -> Bool {
        if case .parked = propagations[event].stage {
            return false
        }
        return propagations[event].lane != .cascade
            && (propagations.parking.isAwaitingReattach || propagations[event].holdDeadline != nil)
    }

    /// Whether the event has been by the node's place, which is on its path, and is above it now.
    private func isBehind(_ node: NodeIndex, _ event: EventIndex) -> Bool {
        let position = propagations[event].position
        guard position != NodeIndex.none, hierarchy.contains(node) else {
            return false
        }
        if let path = propagations.paths.fixedPath(of: event) {
            return path.prefix { $0 != position }.contains(node)
        }
        return hierarchy[node].depth > hierarchy[position].depth
            && hierarchy.isAtOrBelow(propagations[event].start, node)
    }

    private mutating func startAgain(_ event: EventIndex) {
        propagations[event].hasPassedBy = false
        if propagations[event].mayHaveBegun {
            // Who comes back is asked again about what it may have begun before, and has to know.
            propagations[event].message.flags.insert(.sentAgain)
        }
        move(event, to: propagations[event].start, cursor: propagations[event].startCursor)
        advance(event)
    }

    private mutating func mayRespond(_ nodes: [NodeIndex], to event: EventIndex) -> Bool {
        resolveName(ofEvent: event)
        for node in nodes where hierarchy.contains(node) && isOnPath(node, of: event) {
            let isStart = node == propagations[event].start
            let cursor = isStart ? propagations[event].startCursor : 0
            if arrival(of: event, at: node, from: cursor) == nil {
                continue
            }
            return true
        }
        return false
    }

    /// How much longer nodes of the daemon before are waited for, rounded up.
    var reattachMillisecondsLeft: UInt32 {
        guard propagations.parking.isAwaitingReattach else {
            return 0
        }
        let time = configuration.reattachMilliseconds
        let passed = UInt32(clamping: now.microseconds(since: lifetime.startedAt) / 1_000)
        return max(1, time - min(passed, time))
    }

    /// Stops waiting for sessions that have not come back by now.
    mutating func reattachEnded() {
        for subject in propagations.parking.endReattach() where isWaiting(subject) {
            switch subject {
            case .event(let event):
                propagations[event].unpark()
                advance(event)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }
}
