// SPDX-License-Identifier: Apache-2.0

/// The outcome of an event or publication, sent once to its origin. Most outcomes need no more than
/// the header.
package struct OutcomeMessage: WireMessage {
    package static let command = Command.outcome

    package var sequence: UInt64
    package var code: OutcomeCode
    /// The node that handled it.
    package var node: UInt32
    /// The path of the node that handled it, if it was not `node` itself, but one of the bus that `node`
    /// connects.
    package var handler: NodePath?
    /// The index of the responder that handled it, in the node's list.
    package var responder: UInt16
    /// The time from the trigger's arrival at the bus to the outcome.
    package var microseconds: UInt32
    package var failure: Failure?
    package var trail: [VisitRecord]
    /// The number of visits in the middle that the trail omits.
    package var omittedVisitCount: UInt32
    /// The recipients of a publication.
    package var recipients: [NodePath]
    /// The recipients that failed, if the publication was for several.
    package var failedRecipients: [NodePath]

    package init(
        sequence: UInt64, code: OutcomeCode, node: UInt32 = Header.noNode, responder: UInt16 = 0,
        microseconds: UInt32 = 0, failure: Failure? = nil, trail: [VisitRecord] = [],
        omittedVisitCount: UInt32 = 0, recipients: [NodePath] = [],
        failedRecipients: [NodePath] = [], handler: NodePath? = nil
    ) {
        self.sequence = sequence
        self.code = code
        self.node = node
        self.responder = responder
        self.microseconds = microseconds
        self.failure = failure
        self.trail = trail
        self.omittedVisitCount = omittedVisitCount
        self.recipients = recipients
        self.failedRecipients = failedRecipients
        self.handler = handler
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        guard let code = OutcomeCode(rawValue: header.code) else {
            throw WireError("there is no outcome \(header.code)")
        }
        self.init(
            sequence: header.sequence, code: code, node: header.node, responder: header.index,
            microseconds: header.time)
        var rest = fields
        while let field = try rest.next() {
            switch field.tag {
            case .errorName where failure == nil: failure = try Failure(fields: fields)
            case .visited: trail.append(try VisitRecord(field))
            case .omittedVisits: omittedVisitCount = try field.integer()
            case .recipient: recipients.append(try NodePath(decoding: field.text()))
            case .failedRecipient:
                failedRecipients.append(try NodePath(decoding: field.text()))
            case .handler: handler = try NodePath(decoding: field.text())
            default: break
            }
        }
    }

    package var header: Header {
        Header(
            .outcome, index: responder, node: node, sequence: sequence, time: microseconds,
            code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        writeWithoutHandler(to: &fields)
        writeHandler(to: &fields)
    }

    fileprivate func writeHandler(to fields: inout FieldWriter) {
        if let handler {
            fields.append(.handler, handler.description)
        }
    }

    fileprivate func writeWithoutHandler(to fields: inout FieldWriter) {
        failure?.write(to: &fields)
        for visit in trail {
            visit.write(to: &fields)
        }
        if omittedVisitCount > 0 {
            fields.append(.omittedVisits, omittedVisitCount)
        }
        for recipient in recipients {
            fields.append(.recipient, recipient.description)
        }
        for recipient in failedRecipients {
            fields.append(.failedRecipient, recipient.description)
        }
    }
}

/// The way in which an event or a publication ended.
public enum OutcomeCode: UInt32, Sendable, CaseIterable {
    case handled = 1
    case unhandled = 2
    case failed = 3
    case timedOut = 4
    case delivered = 5
    case noSubscriber = 6
    /// A responder failed. A responder above it handled the error, or caught it by an event that was
    /// handled.
    case caught = 7
    /// The event violated a declaration in strict safety.
    case rejected = 8
    /// The event's chain of causes was longer than the bus allows.
    case looped = 9
    /// The cascade has visited all its nodes.
    case cascaded = 10

    /// The outcome as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}

/// Numbers of messages by the outcomes with which they have ended.
package struct OutcomeCounts: Equatable, Sendable {
    /// By the numbers of the outcomes.
    private var counts = none

    private static let none = [UInt64](
        repeating: 0, count: 1 + OutcomeCode.allCases.reduce(0) { max($0, Int($1.rawValue)) })

    package init() {}

    package mutating func add(_ outcome: OutcomeCode, count: UInt64 = 1) {
        counts[Int(outcome.rawValue)] += count
    }

    /// The number of all messages.
    package var total: UInt64 {
        counts.reduce(0, +)
    }

    /// The outcomes that messages have had, with their numbers, in the order of the protocol.
    package var all: [(outcome: OutcomeCode, count: UInt64)] {
        OutcomeCode.allCases.compactMap { outcome in
            let count = counts[Int(outcome.rawValue)]
            return count > 0 ? (outcome, count) : nil
        }
    }
}

// MARK: - Durable events

/// The outcome of a durable event. The daemon sends it to the session of the origin, or to a later
/// session at the same place, until a ``Received`` confirms it.
package struct Settled: WireMessage {
    package static let command = Command.settled

    /// The outcome, without the number of the node that handled the event.
    package var ended: OutcomeMessage
    /// The event's ID, if another session triggered it.
    package var id: EventID?
    package var name: EventName
    /// The path of the event's origin.
    package var origin: NodePath

    /// The path of the node that handled the event.
    package var handler: NodePath? {
        ended.handler
    }

    package init(
        ended: OutcomeMessage, id: EventID? = nil, name: EventName, origin: NodePath,
        handler: NodePath? = nil
    ) {
        self.ended = ended
        self.id = id
        self.name = name
        self.origin = origin
        self.ended.handler = handler
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        ended = try OutcomeMessage(header: header, fields: fields)
        var fields = fields
        var name: EventName?
        var origin: NodePath?
        while let field = try fields.next() {
            switch field.tag {
            case .name: name = try EventName(decoding: field.text())
            case .origin: origin = try NodePath(decoding: field.text())
            case .eventID: id = try EventID(field)
            default: break
            }
        }
        guard let name, let origin else {
            throw WireError("the outcome of a durable event has no name or no origin")
        }
        self.name = name
        self.origin = origin
    }

    package var header: Header {
        var header = ended.header
        header.command = Self.command
        header.node = Header.noNode
        return header
    }

    package func write(to fields: inout FieldWriter) {
        ended.writeWithoutHandler(to: &fields)
        fields.append(.name, name.description)
        fields.append(.origin, origin.description)
        ended.writeHandler(to: &fields)
        id?.write(as: .eventID, to: &fields)
    }
}

/// Confirms that the outcome of a durable event has arrived or is not needed. The daemon then deletes
/// the outcome.
package struct Received: WireMessage {
    package static let command = Command.received

    /// The event's sequence number in this session; 0 if another session triggered it.
    package var sequence: UInt64
    /// The event's ID, if another session triggered it.
    package var id: EventID?

    package init(sequence: UInt64 = 0, id: EventID? = nil) {
        self.sequence = sequence
        self.id = id
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(sequence: header.sequence)
        while let field = try fields.next() {
            if field.tag == .eventID {
                id = try EventID(field)
            }
        }
    }

    package var header: Header {
        Header(.received, sequence: sequence)
    }

    package func write(to fields: inout FieldWriter) {
        id?.write(as: .eventID, to: &fields)
    }
}
