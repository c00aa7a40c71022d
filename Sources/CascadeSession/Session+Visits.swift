// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What arrives for this session's nodes: each node takes its visits in order, so many at a time.
extension Session {
    mutating func visited(
        _ header: Header, _ message: [UInt8], _ itinerary: [UInt8]?,
        into effects: inout [SessionEffect]
    ) throws(WireError) {
        let visit = try visit(header, message, itinerary)
        let node = visit.stop.node
        guard mailboxes[node] != nil else {
            return
        }
        mailboxes[node]?.waiting.append(visit)
        begin(at: node, into: &effects)
    }

    private func visit(
        _ header: Header, _ message: [UInt8], _ itinerary: [UInt8]?
    ) throws(WireError) -> Visit {
        let raised = try Raised(fields: header.fields(of: message))
        guard let name = numbers.names[header.name] ?? raised.name,
            let session = numbers.sessions[header.session],
            let origin = numbers.nodes[header.origin]
        else {
            throw WireError("a visit uses a number that was never defined")
        }
        var stops: [Itinerary.Stop] = []
        if let itinerary {
            stops = try Itinerary(parsing: itinerary).stops
        }
        let firstStop = if let first = stops.first { first } else { try firstStop(header, name) }
        return Visit(
            name: name, id: EventID(session: session, sequence: header.sequence), origin: origin,
            isPublication: header.command == .delivery, attributes: raised.attributes,
            contentType: raised.contentType, millisecondsLeft: header.time,
            isAcknowledged: !header.flags.contains(.unacknowledged), message: message,
            payloadStart: Header.byteCount + Int(header.fieldsLength), delivery: header.id,
            firstStop: firstStop,
            furtherStops: Array(stops.dropFirst()))
    }

    /// A delivery that names no node is for the only node that subscribes to the name.
    private func firstStop(_ header: Header, _ name: EventName) throws(WireError) -> Itinerary.Stop {
        guard header.node == Header.noNode else {
            return Itinerary.Stop(node: header.node, responder: header.index)
        }
        guard let node = subscriber(of: name) else {
            throw WireError("a delivery of '\(name)' is for no node of this session")
        }
        return Itinerary.Stop(node: node, responder: 0)
    }

    // MARK: - Beginning

    private mutating func begin(at node: UInt32, into effects: inout [SessionEffect]) {
        while let visit = mailboxes[node]?.begin() {
            if visit.isAcknowledged, !visit.isAccepted {
                effects.append(
                    .send(Header(.accept, node: visit.firstStop.node, id: visit.delivery)))
            }
            run(visit, into: &effects)
        }
    }

    private mutating func run(_ visit: Visit, into effects: inout [SessionEffect]) {
        var visit = visit
        visit.isAccepted = true
        let token: UInt32
        if let free = freeTokens.popLast() {
            token = free
            running[Int(token)] = visit
        } else {
            token = UInt32(running.count)
            running.append(visit)
        }
        effects.append(.invoke(invocation(of: visit, InvocationToken(index: token))))
    }

    private func invocation(of visit: Visit, _ token: InvocationToken) -> Invocation {
        Invocation(
            token: token, node: visit.stop.node,
            target: visit.isPublication ? .subscription : .responder(Int(visit.stop.responder)),
            visit: visit)
    }

    // MARK: - Ending

    /// A responder or subscription has ended.
    package mutating func finished(
        _ token: InvocationToken, _ result: InvocationResult, microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        guard let visit = running[Int(token.index)] else {
            preconditionFailure("an invocation ended twice")
        }
        running[Int(token.index)] = nil
        freeTokens.append(token.index)
        guard !visit.isForgotten else {
            return
        }
        if case .passed = result, visit.hasFurtherStop {
            goOn(visit, into: &effects)
        } else if visit.isAcknowledged {
            answer(visit, result, microseconds, into: &effects)
        } else {
            giveBack(visit.stop.node, into: &effects)
        }
    }

    /// The visit goes to its next stop: at once at the same node, in turn at another one.
    private mutating func goOn(_ visit: Visit, into effects: inout [SessionEffect]) {
        var next = visit
        next.stopIndex += 1
        guard next.stop.node != visit.stop.node else {
            run(next, into: &effects)
            return
        }
        mailboxes[visit.stop.node]?.runningCount -= 1
        mailboxes[next.stop.node]?.waiting.append(next)
        begin(at: visit.stop.node, into: &effects)
        begin(at: next.stop.node, into: &effects)
    }

    private mutating func answer(
        _ visit: Visit, _ result: InvocationResult, _ microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        let node = visit.stop.node
        mailboxes[node]?.runningCount -= 1
        let next = mailboxes[node]?.begin()
        let nextAccepted =
            next.map { next in
                next.isAcknowledged && !next.isAccepted && node == visit.firstStop.node
            } ?? false
        sendVerdict(visit, result, nextAccepted, microseconds, into: &effects)
        guard let next else {
            return
        }
        if next.isAcknowledged, !next.isAccepted, !nextAccepted {
            effects.append(.send(Header(.accept, node: next.firstStop.node, id: next.delivery)))
        }
        run(next, into: &effects)
    }

    private func sendVerdict(
        _ visit: Visit, _ result: InvocationResult, _ nextAccepted: Bool, _ microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        var verdict = Verdict(
            delivery: visit.delivery, node: visit.firstStop.node, code: .passed,
            stop: UInt16(visit.stopIndex), nextAccepted: nextAccepted, microseconds: microseconds)
        switch result {
        case .passed:
            effects.append(.send(verdict.header))
        case .handled:
            verdict.code = .handled
            effects.append(.send(verdict.header))
        case .failed(let failure):
            verdict.code = .failed
            verdict.failure = failure
            effects.append(.sendMessage(verdict.encoded()))
        case .replaced(let raising):
            verdict.code = .replaced
            let raised = Raised(
                name: raising.name, attributes: raising.attributes,
                contentType: raising.contentType)
            var fields = FieldWriter()
            raised.write(to: &fields)
            var header = verdict.header
            header.fieldsLength = UInt32(fields.bytes.count)
            effects.append(
                .sendRaised(header, fields: fields.bytes, payload: raising.payload))
        }
    }

    /// An unacknowledged visit is worked off; the daemon is told so in batches.
    private mutating func giveBack(_ node: UInt32, into effects: inout [SessionEffect]) {
        guard var mailbox = mailboxes[node] else {
            return
        }
        mailboxes[node] = nil
        mailbox.runningCount -= 1
        mailbox.creditDue += 1
        if mailbox.creditDue >= max(1, UInt32(mailbox.prefetch / 4)) {
            effects.append(.send(Header(.credit, node: node, code: mailbox.creditDue)))
            mailbox.creditDue = 0
        }
        mailboxes[node] = mailbox
        begin(at: node, into: &effects)
    }
}
