// SPDX-License-Identifier: Apache-2.0

/// How a message ended on another bus: a part of the verdict of a node that connects that bus.
package struct RemoteEnd: Hashable, Sendable {
    /// The node that handled the message.
    package var handler: NodePath?
    /// The visits there, in order.
    package var trail: [VisitRecord]
    /// The recipients of a publication there, or the nodes that a cascade ran at.
    package var recipients: [NodePath]
    /// The recipients of a publication there that failed, beside others that did not.
    package var failedRecipients: [NodePath]
    /// The outcome with which the message ends here too; `nil` if the verdict's code says what follows.
    package var outcome: OutcomeCode?

    package init(
        handler: NodePath? = nil, trail: [VisitRecord] = [], recipients: [NodePath] = [],
        failedRecipients: [NodePath] = [], outcome: OutcomeCode? = nil
    ) {
        self.handler = handler
        self.trail = trail
        self.recipients = recipients
        self.failedRecipients = failedRecipients
        self.outcome = outcome
    }

    /// Reads a field of a verdict. Returns whether it says something of another bus.
    mutating func read(_ field: FieldReader.Field) throws(WireError) -> Bool {
        switch field.tag {
        case .handler: handler = try NodePath(decoding: field.text())
        case .visited: trail.append(try VisitRecord(field))
        case .recipient: recipients.append(try NodePath(decoding: field.text()))
        case .failedRecipient: failedRecipients.append(try NodePath(decoding: field.text()))
        case .ended:
            let number: UInt8 = try field.integer()
            guard let ended = OutcomeCode(rawValue: UInt32(number)) else {
                throw WireError("there is no outcome \(number)")
            }
            outcome = ended
        default: return false
        }
        return true
    }

    package func write(to fields: inout FieldWriter) {
        if let handler {
            fields.append(.handler, handler.description)
        }
        for visit in trail {
            visit.write(to: &fields)
        }
        for recipient in recipients {
            fields.append(.recipient, recipient.description)
        }
        for recipient in failedRecipients {
            fields.append(.failedRecipient, recipient.description)
        }
        if let outcome {
            fields.append(.ended, UInt8(truncatingIfNeeded: outcome.rawValue))
        }
    }
}
