// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// How visits end: with an answer, when a node abandons them, or when their delivery is cancelled.
extension Session {
    /// Processes the result of a responder or subscription.
    package mutating func finished(
        _ token: InvocationToken, _ result: InvocationResult, microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        let slot = visits[token.index]
        if acceptsVisits {
            storeAnswer(slot, result)
        }
        visits[token.index].joined = nil
        end(token.index, result, microseconds, into: &effects)
        endJoined(slot, result, into: &effects)
        replay(into: &effects)
    }

    /// Ends the current stop of a visit with a result.
    mutating func end(
        _ visit: UInt32, _ result: InvocationResult, _ microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        let visitQueue = visits[visit].visitQueue
        guard visits[visit].state == .running else {
            freeConcurrency(visit, visitQueue, into: &effects)
            return
        }
        // A cancelled visit has no further stops.
        if case .passed = result, visits.hasFurtherStop(visit), !visits[visit].isCancelled {
            advance(visit, into: &effects)
        } else if visits[visit].isAcknowledged {
            answer(visit, visitQueue, result, microseconds, into: &effects)
        } else {
            endUnacknowledged(visit, visitQueue, into: &effects)
        }
    }

    /// Frees the concurrency of an abandoned visit.
    private mutating func freeConcurrency(
        _ visit: UInt32, _ visitQueue: Int, into effects: inout [SessionEffect]
    ) {
        guard visits[visit].state == .abandoned else {
            return
        }
        visits.remove(visit)
        visitQueues[visitQueue].runningCount -= 1
        begin(visitQueue, into: &effects)
    }

    /// Moves the visit to its next stop. At the same node the stop runs immediately; at another node the
    /// visit joins the end of the queue. Detached nodes are skipped.
    mutating func advance(_ visit: UInt32, into effects: inout [SessionEffect]) {
        let isRunning = visits[visit].state == .running
        let visitQueue = visits[visit].visitQueue
        while visits.hasFurtherStop(visit) {
            visits.advance(visit)
            guard let next = visitQueueIndices[visits[visit].stop.node] else {
                continue
            }
            guard next != visitQueue else {
                run(visit, into: &effects)
                return
            }
            visits[visit].state = .waiting
            visits[visit].visitQueue = next
            visitQueues[next].waiting.append(visit)
            if isRunning {
                visitQueues[visitQueue].runningCount -= 1
                begin(visitQueue, into: &effects)
            }
            begin(next, into: &effects)
            return
        }
        if isRunning {
            answer(visit, visitQueue, .passed, 0, into: &effects)
        } else {
            sendVerdict(visit, .passed, false, 0, into: &effects)
            visits.remove(visit)
        }
    }

    /// Sends the verdict of a visit, and begins the next one. A single message can carry the verdict and
    /// the accept of the next visit.
    private mutating func answer(
        _ visit: UInt32, _ visitQueue: Int, _ result: InvocationResult, _ microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        visitQueues[visitQueue].runningCount -= 1
        let next = visitQueues[visitQueue].begin()
        var nextAccepted = false
        if let next, acceptsVisits, visits[next].isAcknowledged, !visits[next].isAccepted,
            visits[next].firstNode == visits[visit].firstNode
        {
            nextAccepted = true
            visits[next].isAccepted = true
        }
        sendVerdict(visit, result, nextAccepted, microseconds, into: &effects)
        visits.remove(visit)
        if let next {
            accept(next, into: &effects)
            run(next, into: &effects)
        }
    }

    /// Ends an unacknowledged visit. Its credit is returned to the daemon in batches.
    private mutating func endUnacknowledged(
        _ visit: UInt32, _ visitQueue: Int, into effects: inout [SessionEffect]
    ) {
        let node = visits[visit].firstNode
        visits.remove(visit)
        visitQueues[visitQueue].runningCount -= 1
        returnCredit(of: visitQueue, node, into: &effects)
        begin(visitQueue, into: &effects)
    }

    /// Notes that the credit of a visit is due, and returns what is due when it is a batch.
    mutating func returnCredit(
        of visitQueue: Int, _ node: UInt32, into effects: inout [SessionEffect]
    ) {
        visitQueues[visitQueue].creditDue += 1
        if !mayRenumber, visitQueues[visitQueue].isCreditBatchFull {
            sendCredit(of: visitQueue, node, into: &effects)
        }
    }

    private mutating func sendCredit(
        of visitQueue: Int, _ node: UInt32, into effects: inout [SessionEffect]
    ) {
        let due = visitQueues[visitQueue].creditDue
        if due > 0 {
            effects.append(.send(Header(.credit, node: node, code: due)))
            visitQueues[visitQueue].creditDue = 0
        }
    }

    /// Gives up the visits and deliveries that a node has begun. Those that wait for another node of this
    /// session are dropped, and those that run end without a verdict.
    mutating func abandonBegun(_ node: UInt32) {
        for visit in visits.begun(firstNode: node) {
            if visits[visit].state == .running {
                visits[visit].state = .abandoned
            } else {
                visitQueues[visits[visit].visitQueue].waiting.removeAll { $0 == visit }
                visits.remove(visit)
            }
        }
    }

    /// Returns the credit due of every node: after an attach, which holds it back, and at each beat, because
    /// the daemon counts what is due as queued.
    mutating func returnAllCredit(into effects: inout [SessionEffect]) {
        guard !mayRenumber, visitQueues.contains(where: { $0.creditDue > 0 }) else {
            return
        }
        for declaration in declarations {
            let node = numbers.number(of: declaration.path)
            if let visitQueue = visitQueueIndices[node] {
                sendCredit(of: visitQueue, node, into: &effects)
            }
        }
    }

    /// Cancels the visits of a delivery. Waiting visits fail; running ones are cancelled.
    mutating func cancelVisits(_ header: Header, into effects: inout [SessionEffect]) {
        for visitQueue in visitQueues.indices {
            let waiting = visitQueues[visitQueue].waiting
            for visit in waiting where visits[visit].header.id == header.id {
                visitQueues[visitQueue].waiting.removeAll { $0 == visit }
                sendVerdict(visit, .failed(Failure(.cancelled)), false, 0, into: &effects)
                visits.remove(visit)
            }
        }
        for visit in visits.running(delivery: header.id) {
            visits[visit].isCancelled = true
            effects.append(.cancelled(InvocationToken(index: visit)))
        }
    }
}
