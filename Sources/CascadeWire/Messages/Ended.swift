// SPDX-License-Identifier: Apache-2.0

/// The outcome of an event or publication, sent once to its origin. In the steady state the header
/// says it all.
package struct Ended: WireMessage {
    package static let command = Command.outcome

    package var sequence: UInt64
    package var code: OutcomeCode
    /// The node that handled it, and the place of its responder.
    package var node: UInt32
    package var responder: UInt16
    /// From the trigger's arrival at the bus to the end.
    package var microseconds: UInt32
    package var failure: Failure?
    package var trail: [VisitRecord]
    /// Visits between the first and the last ones that the trail leaves out.
    package var omittedVisitCount: UInt32
    /// The recipients of a publication.
    package var recipients: [NodePath]
    /// Which subscribers failed to take a publication that was for several.
    package var failedRecipients: [NodePath]

    package init(
        sequence: UInt64, code: OutcomeCode, node: UInt32 = Header.noNode, responder: UInt16 = 0,
        microseconds: UInt32 = 0, failure: Failure? = nil, trail: [VisitRecord] = [],
        omittedVisitCount: UInt32 = 0, recipients: [NodePath] = [],
        failedRecipients: [NodePath] = []
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
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        guard let code = OutcomeCode(rawValue: header.code) else {
            throw WireError("there is no outcome \(header.code)")
        }
        self.init(
            sequence: header.sequence, code: code, node: header.node, responder: header.index,
            microseconds: header.time)
        guard header.fieldsLength > 0 else {
            return
        }
        failure = try Failure(fields: fields)
        var fields = fields
        while let field = try fields.next() {
            switch field.tag {
            case .visited: trail.append(try VisitRecord(field))
            case .omittedVisits: omittedVisitCount = try field.integer()
            case .recipient: recipients.append(try NodePath(decoding: field.text()))
            case .failedRecipient:
                failedRecipients.append(try NodePath(decoding: field.text()))
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
