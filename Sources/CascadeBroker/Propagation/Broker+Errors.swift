// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The lane of errors: how an event becomes one, and one error another.
extension Broker {
    // MARK: - Reported

    /// An error that a node reports begins where it was raised.
    mutating func report(_ event: EventIndex, _ words: MessageFields?) {
        let raised = words?.raised ?? RaisedFields()
        var failure = Failure(
            name: currentName(of: event), message: raised.message, title: raised.title,
            node: hierarchy.path(of: traffic.events[event].message.origin.node))
        if raised.raisedAs != nil {
            // On its own bus it may have begun elsewhere, and have causes.
            let payload = traffic.events[event].message.payload
            let told = try? Failure(fields: payload.fieldReader, named: failure.name)
            failure.node = told?.node ?? failure.node
            failure.causes = told?.causes ?? []
        }
        become(failure, of: event, raised, payloadOf: traffic.events[event].message.payload)
    }

    // MARK: - Thrown

    /// Handles an error thrown by a responder: the event continues as an error, or an error as
    /// another.
    mutating func threw(_ event: EventIndex, _ answer: Answer, at stop: Stop) {
        fail(event, thrown(answer.failure, at: stop.node), at: stop, answer)
    }

    /// Returns the failure as a process at the node may throw it: it began there, has no causes, and is no error of
    /// the bus itself. That of another bus may be that bus's own, and has begun there.
    func thrown(_ failure: Failure?, at node: NodeIndex) -> Failure {
        guard var failure else {
            return Failure(.responderFailed, at: hierarchy.path(of: node))
        }
        guard !hierarchy[node].isUplink || failure.node == nil else {
            return failure
        }
        if failure.name.isReserved {
            failure.name = EventName(.responderFailed)
        }
        failure.causes = []
        failure.node = hierarchy.path(of: node)
        return failure
    }

    /// Fails the event at its current responder with an error of the bus.
    mutating func fail(_ event: EventIndex, _ code: ErrorCode, at stop: Stop) {
        let failure = Failure(code, at: hierarchy.path(of: stop.node))
        fail(event, failure, at: stop, nil, isTimeout: code == .timedOut)
    }

    /// Records in the trail that a visit has begun and will not be answered; which of its stops is to
    /// blame is not known, so it shows as the first.
    mutating func recordUnanswered(
        _ event: EventIndex, _ stops: [Stop], _ times: VisitTimes, hasTimedOut: Bool = false
    ) {
        guard let first = stops.first else {
            return
        }
        let isLostCascade = traffic.events[event].lane == .cascade && !hasTimedOut
        record(
            .failed, of: event, at: first, times, hasTimedOut: hasTimedOut,
            error: isLostCascade ? Failure(.nodeLost, at: hierarchy.path(of: first.node)) : nil)
    }

    /// Treats the responder of a visit that will not be answered as one that threw. An observer
    /// does not stop an event by this either.
    ///
    /// - Parameters:
    ///   - stops: the stops of the visit.
    ///   - skippingNode: whether the other responders of the node are not asked about the failure.
    mutating func failUnanswered(
        _ event: EventIndex, _ code: ErrorCode, _ stops: [Stop], at node: NodeIndex,
        skippingNode: Bool
    ) {
        let isObserved = stops.allSatisfy { $0.kind == .observe }
        let known = isObserved ? stops.last : stops.last { $0.node == node }
        guard var stop = known else {
            // The event waited for a node that no longer responds to it.
            advance(event)
            return
        }
        if skippingNode, stop.node == node {
            stop.responder = UInt16.max - 1
        }
        if isObserved {
            move(event, to: stop.node, cursor: stop.responder + 1)
            advance(event)
        } else {
            fail(event, code, at: stop)
        }
    }

    /// Fails a message. A failed request ends, and its requester receives the error; a cascade
    /// continues.
    private mutating func fail(
        _ event: EventIndex, _ failure: Failure, at stop: Stop, _ answer: Answer?,
        isTimeout: Bool = false
    ) {
        move(event, to: stop.node, cursor: stop.responder + 1)
        switch traffic.events[event].lane {
        case .request:
            if let answer {
                settleRequest(event, failure, answer)
            } else {
                settle(event, isTimeout ? .timedOut : .failed, failure: failure)
            }
            return
        case .cascade:
            release(answer?.payload)
        case .event, .error:
            continueAsError(event, as: failure, answer, isTimeout ? .timedOut : .thrown)
        }
        advance(event)
    }

    private mutating func continueAsError(
        _ event: EventIndex, as failure: Failure, _ answer: Answer?,
        _ kind: Propagation.FailureKind
    ) {
        traffic.events[event].recordFailure(kind)
        // Causes that an error brings from another bus have led to it there.
        let failure = failure.causes.isEmpty ? replacing(failure, of: event) : failure
        let raised = answer?.raised ?? RaisedFields()
        become(failure, of: event, raised, payloadOf: answer?.payload)
        release(answer?.payload)
    }

    /// An error that comes while another one is handled replaces it and keeps it as its cause.
    func replacing(_ failure: Failure, of event: EventIndex) -> Failure {
        guard traffic.events[event].lane == .error, let cause = traffic.events[event].failure else {
            return failure
        }
        var failure = failure
        failure.causes = Array(([cause.withoutCauses] + cause.causes).prefix(Failure.causesMax))
        return failure
    }

    // MARK: - Transformed

    /// An error that is transformed began where the one before it did.
    mutating func transformError(_ event: EventIndex, _ answer: Answer) {
        let raised = answer.raised ?? RaisedFields()
        let before = traffic.events[event].failure
        let name = answer.newName.flatMap { names.name($0) } ?? raised.name
        let failure = Failure(
            name: name ?? EventName(.responderFailed), message: raised.message ?? before?.message,
            title: raised.title ?? before?.title, node: before?.node,
            causes: before?.causes ?? [])
        become(failure, of: event, raised, payloadOf: answer.payload)
        release(answer.payload)
    }

    // MARK: - Messages

    /// Replaces the event by this error, in a message of the broker's own.
    private mutating func become(
        _ failure: Failure, of event: EventIndex, _ raised: RaisedFields, payloadOf source: Payload?
    ) {
        var fields = FieldWriter()
        failure.write(to: &fields)
        RaisedFields(
            attributes: raised.attributes, contentType: raised.contentType,
            traceParent: traffic.events[event].message.traceParent
        ).write(to: &fields)
        traffic.events[event].become(failure)
        put(
            OwnedPayload(fields: fields.bytes, body: (source ?? .empty).body),
            named: names.existingNumber(of: failure.name) ?? NameIndex.none, failure.name,
            into: event)
        restartHere(event)
    }
}

extension Failure {
    /// One of the bus's own, in its own words.
    init(_ code: ErrorCode, at path: NodePath) {
        self.init(code, message: code.sentence(about: path), node: path)
    }

    fileprivate var withoutCauses: Failure {
        Failure(name: name, message: message, title: title, node: node)
    }
}

extension ErrorCode {
    /// The words for the bus's own failures of events.
    fileprivate func sentence(about path: NodePath) -> String? {
        switch self {
        case .nodeLost: "the node was lost after it had accepted the event"
        case .badVerdict: "the node gave a verdict that its responder cannot give"
        case .timedOut: "'\(path)' did not answer in time"
        default: nil
        }
    }
}
