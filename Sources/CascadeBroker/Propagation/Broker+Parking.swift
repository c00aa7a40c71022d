// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events that wait for a responder to come: those held at their own wish, and, after a restart of
/// the daemon, all that would otherwise end for want of somebody who is expected back.
extension Broker {
    /// Whether the event, which nobody handled, waits for somebody who will.
    func mayPark(_ event: EventIndex) -> Bool {
        // What is emitted is handled at most once, and somebody may have handled it.
        guard !isUnacknowledged(event) || !propagations[event].mayHaveBegun else {
            return false
        }
        if awaitingReattach != nil {
            return true
        }
        guard let deadline = propagations[event].holdDeadline, deadline > now,
            !propagations[event].hasFailed
        else {
            return false
        }
        let account = propagations[event].origin.account
        let byteCount = propagations[event].payload.count
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
        let account = propagations[event].origin.account
        accounts.charge(sign, .held, to: account)
        accounts.charge(
            sign * propagations[event].payload.count, .heldBytes, to: account)
    }

    mutating func park(_ event: EventIndex) {
        guard !propagations[event].hasPassedBy else {
            startAgain(event)
            return
        }
        propagations[event].isParked = true
        guard awaitingReattach == nil, let deadline = propagations[event].holdDeadline else {
            awaitingReattach?.append(.event(event))
            return
        }
        held.append(event)
        chargeHeld(event, 1)
        deadlines.remove(&propagations[event].deadlineHandle)
        propagations[event].deadlineHandle = deadlines.insert(deadline, .event(event))
    }

    mutating func unpark(_ event: EventIndex) {
        guard propagations[event].isParked else {
            return
        }
        propagations[event].isParked = false
        awaitingReattach?.removeAll { $0 == .event(event) }
        if let place = held.firstIndex(of: event) {
            held.remove(at: place)
            chargeHeld(event, -1)
        }
    }

    /// Tries again what may have found somebody in these nodes. An event starts again where
    /// it began: it may have passed the place of a node that was not back yet.
    mutating func retryParked(_ nodes: [NodeIndex]) {
        notePassedBy(nodes)
        retryHeld(nodes)
        guard let waiting = awaitingReattach, !waiting.isEmpty else {
            return
        }
        awaitingReattach = []
        for subject in waiting {
            switch subject {
            case .event(let event) where mayRespond(nodes, to: event):
                propagations[event].isParked = false
                startAgain(event)
            case .event:
                awaitingReattach?.append(subject)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }

    private mutating func retryHeld(_ nodes: [NodeIndex]) {
        let ready = held.filter { mayRespond(nodes, to: $0) }
        guard !ready.isEmpty else {
            return
        }
        // All at once: there may be very many.
        let leaving = Set(ready)
        held.removeAll { leaving.contains($0) }
        for event in ready {
            chargeHeld(event, -1)
        }
        for event in ready where propagations.contains(event) {
            // What was tried before may have ended this one.
            if propagations[event].isParked {
                propagations[event].isParked = false
                giveFreshDeadline(event)
                startAgain(event)
            }
        }
    }

    /// Notes who is under way and will wait if nobody handles it: these nodes come too late for its
    /// way up, but not too late for the event.
    private mutating func notePassedBy(_ nodes: [NodeIndex]) {
        guard !nodes.isEmpty else {
            return
        }
        for event in propagations.indices where mayWait(event) {
            let behind = nodes.filter { isBehind($0, event) }
            if !behind.isEmpty, mayRespond(behind, to: event) {
                propagations[event].hasPassedBy = true
            }
        }
    }

    private func mayWait(_ event: EventIndex) -> Bool {
        let propagation = propagations[event]
        return !propagation.isParked && propagation.lane != .cascade
            && (awaitingReattach != nil || propagation.holdDeadline != nil)
    }

    /// Whether the event has been by the node's place, which is on its path, and is above it now.
    private func isBehind(_ node: NodeIndex, _ event: EventIndex) -> Bool {
        let path = propagations[event].fixedPath
        let position = propagations[event].position
        guard position != NodeIndex.none else {
            return false
        }
        guard path.isEmpty else {
            return path.prefix { $0 != position }.contains(node)
        }
        return hierarchy[node].depth > hierarchy[position].depth
            && hierarchy.isAtOrBelow(propagations[event].start, node)
    }

    private mutating func startAgain(_ event: EventIndex) {
        propagations[event].hasPassedBy = false
        if propagations[event].mayHaveBegun {
            // Who comes back is asked again about what it may have begun before, and has to know.
            propagations[event].flags.insert(.sentAgain)
        }
        move(event, to: propagations[event].start, cursor: propagations[event].startCursor)
        advance(event)
    }

    private mutating func mayRespond(_ nodes: [NodeIndex], to event: EventIndex) -> Bool {
        resolveName(ofEvent: event)
        return nodes.contains { node in
            guard isOnPath(node, of: event) else {
                return false
            }
            let isStart = node == propagations[event].start
            let cursor = isStart ? propagations[event].startCursor : 0
            return arrival(of: event, at: node, from: cursor) != nil
        }
    }

    /// Whoever has not come back by now is not waited for any longer.
    mutating func reattachEnded() {
        let waiting = awaitingReattach ?? []
        awaitingReattach = nil
        for subject in waiting {
            switch subject {
            case .event(let event):
                propagations[event].isParked = false
                advance(event)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }
}
