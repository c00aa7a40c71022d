// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events that wait for a responder to come: those held at their own wish, and, after a restart of
/// the daemon, all that would otherwise end for want of somebody who is expected back.
extension Broker {
    /// Whether the event, which nobody handled, waits for somebody who will.
    func mayPark(_ event: UInt32) -> Bool {
        if awaitingReattach != nil {
            return true
        }
        guard let deadline = propagations[event].holdDeadline, deadline > now,
            !propagations[event].hasFailed
        else {
            return false
        }
        let byteCount = heldByteCount + Int(propagations[event].payload.byteCount)
        return held.count < configuration.limits.held
            && byteCount <= Int(configuration.limits.heldBytes)
    }

    mutating func park(_ event: UInt32) {
        propagations[event].isParked = true
        if propagations[event].facts == nil {
            // Whoever comes may have a predicate.
            examine(event)
        }
        guard awaitingReattach == nil, let deadline = propagations[event].holdDeadline else {
            awaitingReattach?.append(.event(event))
            return
        }
        held.append(event)
        deadlines.remove(&propagations[event].deadlineHandle)
        propagations[event].deadlineHandle = deadlines.insert(deadline, .event(event))
    }

    mutating func unpark(_ event: UInt32) {
        guard propagations[event].isParked else {
            return
        }
        propagations[event].isParked = false
        awaitingReattach?.removeAll { $0 == .event(event) }
        held.removeAll { $0 == event }
    }

    /// Tries again what may have found somebody in these nodes. An event starts again where
    /// it began: it may have passed the place of a node that was not back yet.
    mutating func retryParked(_ nodes: [UInt32]) {
        for event in held where mayRespond(nodes, to: event) {
            // What was tried before may have ended this one.
            if propagations[event].isParked {
                unpark(event)
                giveFreshDeadline(event)
                startAgain(event)
            }
        }
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

    private mutating func startAgain(_ event: UInt32) {
        if propagations[event].mayHaveBegun {
            // Who comes back is asked again about what it may have begun before, and has to know.
            propagations[event].flags.insert(.sentAgain)
        }
        move(event, to: propagations[event].start, cursor: propagations[event].startCursor)
        advance(event)
    }

    private mutating func mayRespond(_ nodes: [UInt32], to event: UInt32) -> Bool {
        resolveName(ofEvent: event)
        return nodes.contains { node in
            guard isOnPath(node, of: event) else {
                return false
            }
            let isStart = node == propagations[event].start
            let cursor = isStart ? propagations[event].startCursor : 0
            if case .none = arrival(of: event, at: node, from: cursor) {
                return false
            }
            return true
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
