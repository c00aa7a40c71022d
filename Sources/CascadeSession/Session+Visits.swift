// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule

/// Visits and deliveries for this session's nodes. Each node processes them in order, up to its
/// concurrency at a time.
extension Session {
    /// Returns the visit of an invocation. Throws `WireError` if the daemon used a number without
    /// defining it.
    package func visit(_ token: InvocationToken) throws(WireError) -> Visit {
        let header = visits[token.index].header
        let message = visits.message(token.index)
        var raised: RaisedFields?
        var failure: Failure?
        let isPublication = header.command == .delivery
        let code = LaneCode(rawValue: isPublication ? header.code & ~0xFF : header.code)
        let reach = isPublication ? Reach(rawValue: header.code & 0xFF) : nil
        if header.fieldsLength > 0 {
            raised = try RaisedFields(fields: header.fields(of: message))
            failure =
                code?.lane == .error ? try Failure(fields: header.fields(of: message)) : nil
        }
        guard let code, let name = numbers.names[header.name] ?? raised?.name ?? failure?.name,
            let session = visits[token.index].session,
            let origin = numbers.nodes[header.origin],
            let node = numbers.nodes[visits[token.index].stop.node]
        else {
            throw WireError("a visit uses a number that was never defined")
        }
        if code.lane == .error, !isPublication, failure == nil {
            // The error visits its first responder, so its failure is that of the report.
            failure = Failure(
                name: name, message: raised?.message, title: raised?.title, node: origin)
        }
        return Visit(
            node: node, name: name, id: EventID(session: session.id, sequence: header.sequence),
            origin: origin, isPublication: isPublication,
            isRetained: isPublication && header.flags.contains(.retained),
            reach: reach, isRedelivered: header.flags.contains(.sentAgain),
            passesOnLoss: !isPublication && header.flags.contains(.passOnLoss),
            wantsTrail: !isPublication && header.flags.contains(.wantsTrail), lane: code.lane,
            failure: failure, causes: code.causes, cause: raised?.cause,
            traceParent: raised?.traceParent, attributes: raised?.attributes ?? [],
            contentType: raised?.contentType,
            millisecondsLeft: header.time, payload: header.payload(of: message))
    }

    /// Calls `body` with the payload of an invocation, without a copy.
    package func withPayload(
        _ token: InvocationToken, _ body: (UnsafeRawBufferPointer) -> InvocationResult
    ) -> InvocationResult {
        let start = Header.byteCount + Int(visits[token.index].header.fieldsLength)
        return visits.withMessage(token.index) { message in
            body(UnsafeRawBufferPointer(rebasing: message[start...]))
        }
    }

    /// The bytes of the visits and deliveries that have not ended.
    package var visitByteCount: Int {
        visits.byteCount
    }

    // MARK: - Arriving

    /// Starts an arrived visit or delivery, or queues it at its node.
    mutating func receiveVisit(
        _ header: Header, _ message: RawSpan, into effects: inout [SessionEffect]
    ) throws(WireError) {
        // Most visits have one stop. The path for them accesses no array of stops.
        let hasItinerary = !pendingStops.isEmpty
        defer { if hasItinerary { pendingStops = [] } }
        let firstStop = hasItinerary ? pendingStops[0] : try firstStop(header)
        guard let visitQueue = visitQueueIndices[firstStop.node] else {
            return
        }
        if header.flags.contains(.sentAgain) {
            visits.shorten(before: header)
        }
        let visit = visits.insert(
            header, of: numbers.session(header.session), message, firstStop, visitQueue: visitQueue)
        if hasItinerary {
            visits.setFurtherStops(visit, pendingStops.dropFirst())
        }
        if visitQueues[visitQueue].beginImmediately() {
            accept(visit, into: &effects)
            run(visit, into: &effects)
            replay(into: &effects)
        } else {
            guard visitQueues[visitQueue].waiting.count < waitingVisitCountMax else {
                throw WireError(
                    .limitReached,
                    "more than \(waitingVisitCountMax) visits wait for one node, which are more "
                        + "than it has granted")
            }
            visitQueues[visitQueue].waiting.append(visit)
        }
    }

    /// Returns the first stop. A delivery without a node is for the only node that subscribes to
    /// the name.
    private mutating func firstStop(_ header: Header) throws(WireError) -> Itinerary.Stop {
        guard header.node == Header.noNode else {
            return Itinerary.Stop(node: header.node, responder: header.index)
        }
        guard let node = subscribers[header.name] else {
            throw WireError(
                "no node of this session subscribes to the name \(header.name) of a delivery")
        }
        return Itinerary.Stop(node: node, responder: 0)
    }

    /// Fails a visit or delivery of which the connection has carried only a part. `header` is that of the whole
    /// message.
    package mutating func refuseVisit(
        _ header: Header, _ failure: Failure, into effects: inout [SessionEffect]
    ) throws(WireError) {
        defer { pendingStops = [] }
        let node = pendingStops.isEmpty ? try firstStop(header).node : pendingStops[0].node
        guard let visitQueue = visitQueueIndices[node] else {
            return
        }
        guard !header.flags.contains(.unacknowledged) else {
            returnCredit(of: visitQueue, node, into: &effects)
            return
        }
        var verdict = Header(
            .verdict, node: node, id: header.id, code: VerdictCode.failed.rawValue)
        var fields = FieldWriter()
        failure.write(to: &fields)
        verdict.fieldsLength = UInt32(fields.bytes.count)
        effects.append(.sendRaised(verdict, fields: fields.bytes, payload: []))
    }

    // MARK: - Beginning

    /// Begins the waiting visits that the node's concurrency allows.
    mutating func begin(_ visitQueue: Int, into effects: inout [SessionEffect]) {
        while let visit = visitQueues[visitQueue].begin() {
            accept(visit, into: &effects)
            run(visit, into: &effects)
        }
    }

    /// Accepts a visit, in a session whose owner accepts them. A visit of an earlier connection is left as it
    /// is.
    package mutating func accept(_ token: InvocationToken, into effects: inout [SessionEffect]) {
        if visits[token.index].state == .running {
            sendAccept(token.index, into: &effects)
        }
    }

    mutating func accept(_ visit: UInt32, into effects: inout [SessionEffect]) {
        if acceptsVisits {
            sendAccept(visit, into: &effects)
        }
    }

    private mutating func sendAccept(_ visit: UInt32, into effects: inout [SessionEffect]) {
        guard visits[visit].isAcknowledged, !visits[visit].isAccepted else {
            return
        }
        visits[visit].isAccepted = true
        effects.append(
            .send(
                Header(
                    .accept, node: visits[visit].firstNode, id: visits[visit].header.id)))
    }

    mutating func run(_ visit: UInt32, into effects: inout [SessionEffect]) {
        visits[visit].state = .running
        if !acceptsVisits || !reuseAnswer(for: visit) {
            invoke(visit, into: &effects)
        }
    }

    func invoke(_ visit: UInt32, into effects: inout [SessionEffect]) {
        let slot = visits[visit]
        effects.append(
            .invoke(
                Invocation(
                    token: InvocationToken(index: visit), node: slot.stop.node,
                    target: slot.isPublication
                        ? .subscription : .responder(Int(slot.stop.responder)))))
    }
}
