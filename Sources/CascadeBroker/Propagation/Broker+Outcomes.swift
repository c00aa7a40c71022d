// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Outcomes: how events end, each once.
extension Broker {
    mutating func endUnhandled(_ event: UInt32) {
        if awaitingReattach != nil {
            awaitingReattach?.append(.event(event))
        } else {
            settle(event, .unhandled)
        }
    }

    mutating func eventTimedOut(_ event: UInt32) {
        propagations[event].deadlineHandle = DeadlineQueue.none
        let delivery = propagations[event].delivery
        guard delivery != Header.noNode else {
            awaitingReattach?.removeAll { $0 == .event(event) }
            settle(event, .unhandled)
            return
        }
        let node = deliveries[delivery].node
        let path = hierarchy.path(of: node)
        expire(delivery)
        settle(
            event, .timedOut,
            failure: Failure(.timedOut, message: "'\(path)' did not answer in time", node: path))
    }

    mutating func fail(_ event: UInt32, _ failure: Failure?, at node: UInt32) {
        var failure = failure ?? Failure(.responderFailed)
        failure.node = hierarchy.path(of: node)
        settle(event, .failed, failure: failure)
    }

    mutating func fail(_ event: UInt32, _ code: ErrorCode, at node: UInt32) {
        fail(event, Failure(code, message: code.sentence), at: node)
    }

    /// The one place where an event ends.
    mutating func settle(
        _ event: UInt32, _ code: OutcomeCode, by stop: Stop? = nil, failure: Failure? = nil
    ) {
        counters.count(code)
        let origin = propagations[event].origin
        if !isUnacknowledged(event), peers.isGreeted(origin.peer) {
            peers[origin.peer].creditUsed -= 1
            introduce(to: origin.peer, node: stop?.node ?? Header.noNode)
            let ended = Ended(
                sequence: origin.sequence, code: code, node: stop?.node ?? Header.noNode,
                responder: stop?.responder ?? 0,
                microseconds: UInt32(
                    clamping: now.microseconds(since: propagations[event].startedAt)),
                failure: failure,
                trail: propagations[event].flags.contains(.wantsTrail)
                    ? propagations[event].trail : [])
            if failure == nil, ended.trail.isEmpty {
                effects.append(.send(ended.header, to: origin.peer))
            } else {
                send(ended, to: origin.peer)
            }
        }
        remember(event, code, by: stop?.node, failure: failure)
        finish(event)
    }

    /// Lets go of everything that an event holds.
    mutating func finish(_ event: UInt32, releasesPayload: Bool = true) {
        let origin = propagations[event].origin
        if isUnacknowledged(event) {
            giveBackUnacknowledged(origin.peer)
        }
        let position = propagations[event].position
        let start = propagations[event].start
        if releasesPayload {
            release(propagations[event].payload)
        }
        deadlines.remove(&propagations[event].deadlineHandle)
        propagations[event].trail.removeAll(keepingCapacity: true)
        propagations[event].text = nil
        propagations.remove(event)
        unpinNode(position)
        unpinNode(start)
        unpin(origin)
    }
}

extension ErrorCode {
    /// The words for the bus's own failures of events.
    fileprivate var sentence: String? {
        switch self {
        case .nodeLost: "the node was lost after it had accepted the event"
        case .badVerdict: "the node gave a verdict that its responder cannot give"
        default: nil
        }
    }
}
