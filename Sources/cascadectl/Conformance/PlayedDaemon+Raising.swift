// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What the client raises, and how it ends.
extension PlayedDaemon {
    /// Returns the next message, which must be a trigger of this name and lane.
    func expectTrigger(
        _ name: EventName, _ number: Int, lane: Lane = .event, flags: HeaderFlags = []
    ) throws -> ClientMessage {
        let message = try expectRaise(.trigger, name, number, flags)
        guard LaneCode(rawValue: message.header.code)?.lane == lane else {
            throw Deviation(expected: "lane \(lane.name)", received: message.description)
        }
        return message
    }

    /// Returns the next message, which must be a publication of this name to all subscribers.
    func expectPublication(_ name: EventName, _ number: Int) throws -> ClientMessage {
        let message = try expectRaise(.publish, name, number, [])
        guard message.header.code & 0xFF == PublishingDestination.all.rawValue else {
            throw Deviation(expected: "destination all", received: message.description)
        }
        return message
    }

    private func expectRaise(
        _ command: Command, _ name: EventName, _ number: Int, _ flags: HeaderFlags
    ) throws -> ClientMessage {
        let expected = "'\(command)' \(name) \(number)"
        let message = try next(command, expected)
        let found = try table.name(of: message)
        guard found == name, message.payload == "\(number)" else {
            throw Deviation(
                expected: expected,
                received: "\(found?.description ?? "no name") \(message.payload)")
        }
        let fields = try message.raisedFields
        let needsFlag = message.header.name == 0 || fields.cause != nil
        guard !needsFlag || message.header.flags.contains(.addressedInFields) else {
            throw Deviation(
                expected: "\(expected) with the flag addressedInFields",
                received: message.description)
        }
        let own = message.header.flags.intersection([.unacknowledged, .sentAgain, .durable])
        guard own == flags else {
            throw Deviation(
                expected: "\(expected) with flags \(flags.rawValue)",
                received: message.description)
        }
        guard message.header.node == (try table.number(of: ConformancePaths.client)) else {
            throw Deviation(
                expected: "\(expected) of \(ConformancePaths.client)",
                received: message.description)
        }
        return message
    }

    /// Ends a message of the client. A `handled` or `caught` one is by ``ConformancePaths/handler``.
    func end(
        _ message: ClientMessage, _ code: OutcomeCode, failure: Failure? = nil,
        recipients: [NodePath] = [], reply: Int? = nil
    ) throws {
        var outcome = OutcomeMessage(
            sequence: message.header.sequence, code: code, failure: failure,
            recipients: recipients)
        if code == .handled || code == .caught {
            outcome.node = table.handlerNumber
        }
        var bytes = outcome.encoded()
        if let reply {
            bytes[1] |= HeaderFlags.carriesReply.rawValue
            bytes += Array("\(reply)".utf8)
        }
        raises.ended(message.header.sequence)
        try send([bytes])
    }

    /// Refuses a message of the client.
    func refuse(_ message: ClientMessage, _ code: ErrorCode) throws {
        raises.ended(message.header.sequence, isOutcome: false)
        try send(
            Refused(
                sequence: message.header.sequence, code: code, sentence: "a played refusal"))
    }
}
