// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Verdicts: a node's answer moves the event on, replaces it, or ends it.
extension Broker {
    @inline(__always)
    mutating func answered(
        _ event: EventIndex, _ answer: Answer, _ times: VisitTimes
    ) {
        let code = answer.code
        let count = traffic.events[event].stopCount
        let last = code == .passed ? count - 1 : min(Int(answer.stop), count - 1)
        let stop = traffic.events[event].stop(last)
        for place in 0..<last {
            recordPassed(event, at: traffic.events[event].stop(place), times)
        }
        traffic.events[event].endDelivery()
        guard Int(answer.stop) < count || code == .passed, stop.kind.allows(code) else {
            release(answer.payload)
            record(.failed, of: event, at: stop, times)
            fail(event, .badVerdict, at: stop)
            return
        }
        let isCascade = traffic.events[event].lane == .cascade
        record(code, of: event, at: stop, times, error: isCascade ? answer.failure : nil)
        if answer.hasContent || isCascade, hasEndedRemotely(event, answer, at: stop) {
            return
        }
        if isCascade {
            release(answer.payload)
            ran(event, at: stop, isFailed: code == .failed)
            return
        }
        // Nothing that an observer answers stops or changes an event.
        switch stop.kind == .observe ? .passed : code {
        case .handled:
            release(answer.payload)
            handled(event, by: stop)
        case .answered:
            reply(to: event, answer, by: stop)
        case .failed:
            threw(event, answer, at: stop)
        case .passed:
            release(answer.payload)
            move(event, to: stop.node, cursor: stop.responder + 1)
            advance(event)
        case .replaced:
            replaced(event, by: answer, at: stop)
        }
    }

    /// The event, or the error that it has become, ends here.
    @inline(__always)
    private mutating func handled(_ event: EventIndex, by stop: Stop) {
        if case .some = traffic.events[event].lastFailure {
            settle(event, .caught, by: stop, failure: traffic.events[event].failure)
        } else {
            settle(event, .handled, by: stop)
        }
    }

    /// A responder of a cascade has run: the next one follows, whatever became of this one.
    private mutating func ran(_ event: EventIndex, at stop: Stop, isFailed: Bool) {
        let path = hierarchy.path(of: stop.node)
        if !isFailed {
            traffic.events[event].recordRun(at: path)
        }
        move(event, to: stop.node, cursor: stop.responder + 1)
        advance(event)
    }

    /// Continues a replaced event from just above the responder that replaced it.
    private mutating func replaced(_ event: EventIndex, by answer: Answer, at stop: Stop) {
        guard let newName = answer.newName, let payload = answer.payload,
            !isReserved(newName, answer.newText)
        else {
            release(answer.payload)
            fail(event, .badVerdict, at: stop)
            return
        }
        move(event, to: stop.node, cursor: stop.responder + 1)
        if stop.kind == .transformError {
            transformError(event, answer)
        } else {
            // A caught error continues as an event, and an event stays one.
            traffic.events[event].becomeEvent()
            put(payload, named: newName, answer.newText, into: event)
            restartHere(event)
        }
        advance(event)
    }

    private func isReserved(_ name: NameIndex, _ text: EventName?) -> Bool {
        name == NameIndex.none ? text?.isReserved ?? true : names.isReserved(name)
    }

    /// Makes the event's position its start: a replaced message is new only from here up, so a retry
    /// must not begin below.
    mutating func restartHere(_ event: EventIndex) {
        let start = traffic.events[event].start
        let position = traffic.events[event].position
        hierarchy[position].pin()
        traffic.events.paths.remove(event)
        traffic.events.paths.insert(event, at: position)
        traffic.events[event].restartHere()
        unpinNode(start)
    }

    /// Puts another message in the place of the event's.
    mutating func put(
        _ payload: Payload, named name: NameIndex, _ text: EventName?,
        into event: EventIndex
    ) {
        release(traffic.events[event].message.payload)
        traffic.events[event].replaceMessage(name, text, payload)
        charge(payload, to: traffic.events[event].message.origin.account)
        traffic.events.lastPredicateValues.forget(event)
    }

    /// Records the answer of a visit's last stop in the trail.
    ///
    /// - Parameter error: the error of a failed visit of a cascade, which no later visit names.
    @inline(__always)
    mutating func record(
        _ code: VerdictCode, of event: EventIndex, at stop: Stop, _ times: VisitTimes,
        hasTimedOut: Bool = false, error: Failure? = nil
    ) {
        traffic.events[event].recordVisit(
            stop, at: hierarchy.keptPath(of: stop.node), code, hasTimedOut: hasTimedOut,
            error: error, times,
            microseconds: UInt32(clamping: now.microseconds(since: times.sentAt)))
    }

    /// Records a stop in the trail that passed, so that its visit went on to the next.
    private mutating func recordPassed(
        _ event: EventIndex, at stop: Stop, _ times: VisitTimes
    ) {
        traffic.events[event].recordVisit(
            stop, at: hierarchy.keptPath(of: stop.node), .passed, times, microseconds: 0)
    }

    func currentName(of event: EventIndex) -> EventName {
        names.name(traffic.events[event].message.name) ?? traffic.events[event].message.text
            ?? EventName(ErrorCode.badName)
    }
}

extension ResponderKind {
    /// Whether a responder of this kind can answer so.
    @inline(__always)
    fileprivate func allows(_ verdict: VerdictCode) -> Bool {
        switch self {
        case .receive, .receiveError:
            verdict == .passed || verdict == .handled || verdict == .failed
        case .handle, .handleError: verdict == .handled || verdict == .failed
        case .transform, .transformError, .catch: verdict == .replaced || verdict == .failed
        case .respond: verdict == .passed || verdict == .answered || verdict == .failed
        case .observe: true
        }
    }
}
