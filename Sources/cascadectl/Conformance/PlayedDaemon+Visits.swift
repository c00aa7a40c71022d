// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A visit or delivery that the played daemon has sent.
struct SentVisit {
    var delivery: UInt64
    /// The node that answers.
    var node: UInt32
    /// The event's number in the session of its origin.
    var sequence: UInt64
}

/// A responder of the client's upper node.
struct PlayedStop {
    let kind: ResponderKind
    let name: EventName
    var path = ConformancePaths.client

    init(_ kind: ResponderKind, _ name: EventName, at path: NodePath = ConformancePaths.client) {
        self.kind = kind
        self.name = name
        self.path = path
    }
}

/// Visits, deliveries and their verdicts.
extension PlayedDaemon {
    /// Asks a responder of the client about a message whose payload is a number.
    ///
    /// - Parameters:
    ///   - lane: The message's lane.
    ///   - event: The message's number in its session; with `nil`, a new one.
    ///   - isNamedInField: Whether the header has no number of the name.
    @discardableResult
    func visit(
        _ kind: ResponderKind, _ name: EventName, _ number: Int, lane: Lane = .event,
        flags: HeaderFlags = [], event: UInt64? = nil, isNamedInField: Bool = false,
        causes: UInt16 = 0
    ) throws -> SentVisit {
        let frames = try visitFrames(
            PlayedStop(kind, name), number, lane: lane, flags: flags, event: event,
            isNamedInField: isNamedInField, causes: causes)
        try send([frames.frame])
        return frames.visit
    }

    /// Returns a visit's message without sending it.
    func visitFrames(
        _ stop: PlayedStop, _ number: Int, lane: Lane = .event, flags: HeaderFlags = [],
        event: UInt64? = nil, isNamedInField: Bool = false, causes: UInt16 = 0
    ) throws -> (frame: [UInt8], visit: SentVisit) {
        let visit = SentVisit(
            delivery: nextDelivery(), node: try table.number(of: stop.path),
            sequence: event ?? nextEvent())
        var fields = FieldWriter()
        if lane == .error {
            Failure(name: stop.name, message: "a played error", node: ConformancePaths.origin)
                .write(to: &fields)
        } else if isNamedInField {
            RaisedFields(name: stop.name).write(to: &fields)
        }
        let header = Header(
            .visit, flags: flags,
            index: try table.index(of: stop.kind, stop.name, at: stop.path),
            fieldsLength: UInt32(fields.bytes.count), node: visit.node,
            name: isNamedInField ? 0 : table.number(of: stop.name), id: visit.delivery,
            sequence: visit.sequence, origin: table.originNumber, session: table.sessionNumber,
            time: 60_000, code: LaneCode(lane, causes: causes).rawValue)
        return (header.encoded() + fields.bytes + Array("\(number)".utf8), visit)
    }

    /// Asks a responder behind the last one of the client's upper node.
    func visitWithoutResponder(_ number: Int) throws -> SentVisit {
        let (frame, visit) = try visitFrames(PlayedStop(.handle, "Work"), number)
        var header = try Header(parsing: frame)
        header.index = UInt16(
            clamping: table.declarations[ConformancePaths.client]?.responders.count ?? 0)
        try send([header.encoded() + frame[Header.byteCount...]])
        return visit
    }

    /// Asks several responders in one visit.
    func visit(_ stops: [PlayedStop], _ number: Int) throws -> SentVisit {
        let first = try visitFrames(stops[0], number)
        let itinerary = Itinerary(
            try stops.map { stop in
                Itinerary.Stop(
                    node: try table.number(of: stop.path),
                    responder: try table.index(of: stop.kind, stop.name, at: stop.path))
            })
        try send([itinerary.encoded(), first.frame])
        return first.visit
    }

    /// Hands a publication to subscribers.
    ///
    /// - Parameter nodes: The subscribers, each in an itinerary; with `nil`, the session's only
    ///   one, which is the upper node.
    @discardableResult
    func deliver(
        _ name: EventName, _ number: Int, to nodes: [NodePath]? = nil, flags: HeaderFlags = [],
        event: UInt64? = nil
    ) throws -> [SentVisit] {
        let delivery = nextDelivery()
        let sequence = event ?? nextEvent()
        let header = Header(
            .delivery, flags: flags, name: table.number(of: name), id: delivery,
            sequence: sequence, origin: table.originNumber, session: table.sessionNumber,
            time: 60_000)
        let frame = header.encoded() + Array("\(number)".utf8)
        var visits: [SentVisit] = []
        for path in nodes ?? [ConformancePaths.client] {
            let node = try table.number(of: path)
            let itinerary = Itinerary([Itinerary.Stop(node: node, responder: 0)])
            try send(nodes == nil ? [frame] : [itinerary.encoded(), frame])
            visits.append(SentVisit(delivery: delivery, node: node, sequence: sequence))
        }
        return visits
    }

    // MARK: - Answers

    func expectAccept(of visit: SentVisit) throws {
        let message = try next(.accept, "'accept' of delivery \(visit.delivery)")
        try check(message, answers: visit)
    }

    /// Returns the verdict of a visit, and skips its `accept`, which may have been left out.
    @discardableResult
    func expectVerdict(
        _ code: VerdictCode, of visit: SentVisit, index: UInt16 = 0, name: EventName? = nil,
        number: Int? = nil
    ) throws -> ClientMessage {
        let expected = "'verdict' \(code.name) of delivery \(visit.delivery)"
        var message = try next(expected)
        if message.header.command == .accept {
            try check(message, answers: visit)
            message = try next(expected)
        }
        guard message.header.command == .verdict else {
            throw Deviation(expected: expected, received: message.description)
        }
        try check(message, answers: visit)
        let verdict: Verdict = try message.read()
        guard verdict.code == code, verdict.stop == index else {
            throw Deviation(
                expected: "\(expected) at stop \(index)",
                received: "\(verdict.code.name) at stop \(verdict.stop)")
        }
        let newName = try name == nil ? nil : table.name(of: message)
        guard newName == name, number.map({ "\($0)" == message.payload }) ?? true else {
            throw Deviation(
                expected: "\(expected) \(name?.description ?? "") \(number ?? 0)",
                received: "\(newName?.description ?? "") \(message.payload)")
        }
        return message
    }

    /// Checks that a message quotes a visit.
    private func check(_ message: ClientMessage, answers visit: SentVisit) throws {
        guard message.header.id == visit.delivery, message.header.node == visit.node else {
            throw Deviation(
                expected: "'\(message.header.command)' node \(visit.node) id \(visit.delivery)",
                received: message.description)
        }
    }
}
