// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Verdicts: what a node answered moves the event on, replaces it, or ends it.
extension Broker {
    mutating func answered(
        _ event: UInt32, _ verdict: Verdict, newName: UInt32?, fieldsLength: UInt32,
        payload: PayloadID?, sentAt: Instant
    ) {
        propagations[event].delivery = Header.noNode
        let stops = propagations[event].stops
        let last = verdict.code == .passed ? stops.count - 1 : Int(verdict.stop)
        guard last < stops.count, stops[last].kind.allows(verdict.code) else {
            release(payload)
            fail(event, .badVerdict, at: propagations[event].position)
            return
        }
        record(verdict.code, of: event, through: last, sentAt)
        let stop = stops[last]
        // Nothing that an observer answers stops or changes an event.
        switch stop.kind == .observe ? .passed : verdict.code {
        case .handled:
            release(payload)
            settle(event, .handled, by: stop)
        case .failed, .answered:
            release(payload)
            fail(event, verdict.failure, at: stop.node)
        case .passed:
            release(payload)
            move(event, to: stop.node, cursor: stop.responder + 1)
            advance(event)
        case .replaced:
            guard let newName, let payload else {
                release(payload)
                fail(event, .badVerdict, at: stop.node)
                return
            }
            replace(event, newName, verdict.newName, fieldsLength, payload)
            move(event, to: stop.node, cursor: stop.responder + 1)
            beginHere(event)
            advance(event)
        }
    }

    /// What is new only above this place does not start below it again.
    private mutating func beginHere(_ event: UInt32) {
        let start = propagations[event].start
        let position = propagations[event].position
        hierarchy[position].pins += 1
        propagations[event].start = position
        propagations[event].startCursor = propagations[event].cursor
        unpinNode(start)
    }

    private mutating func replace(
        _ event: UInt32, _ name: UInt32, _ text: EventName?, _ fieldsLength: UInt32,
        _ payload: PayloadID
    ) {
        release(propagations[event].payload)
        propagations[event].payload = payload
        propagations[event].fieldsLength = fieldsLength
        propagations[event].isPayloadShared = false
        propagations[event].name = name
        propagations[event].text = text
    }

    private mutating func record(
        _ code: VerdictCode, of event: UInt32, through last: Int, _ sentAt: Instant
    ) {
        for (place, stop) in propagations[event].stops.prefix(last + 1).enumerated() {
            propagations[event].trail.append(
                VisitRecord(
                    path: hierarchy.keptPath(of: stop.node), responder: Int(stop.responder),
                    kind: stop.kind, name: currentName(of: event),
                    verdict: place == last ? code : .passed,
                    microseconds: place == last ? Int(now.microseconds(since: sentAt)) : 0))
        }
    }

    private func currentName(of event: UInt32) -> EventName {
        names.name(propagations[event].name) ?? propagations[event].text
            ?? EventName(ErrorCode.badName)
    }
}

extension ResponderKind {
    /// Whether a responder of this kind can answer so.
    fileprivate func allows(_ verdict: VerdictCode) -> Bool {
        switch (self, verdict) {
        case (.receive, .passed), (.receive, .handled), (.receive, .failed): true
        case (.handle, .handled), (.handle, .failed): true
        case (.transform, .replaced), (.transform, .failed): true
        case (.observe, _): true
        default: false
        }
    }
}
