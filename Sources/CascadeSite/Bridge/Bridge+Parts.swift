// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Frames of the parent's bus that no link can carry, of which the gate sends the first part.
extension Bridge {
    /// Refuses what a frame asks for, of which this is the first part: a visit or delivery fails, a message
    /// whose outcome is too long ends as failed, and an answer that is too long is done without. Each says
    /// both sizes.
    package mutating func linkReceivedPart(
        _ part: [UInt8], of byteCount: Int, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard link.isOpen else {
            return
        }
        do throws(WireError) {
            // The fields may be longer than the part.
            var head = Array(part.prefix(Header.byteCount))
            if head.count == Header.byteCount {
                head.replaceSubrange(Self.fieldsLengthBytes, with: [0, 0, 0, 0])
            }
            let header = try Header(parsing: head)
            try refuse(header, of: byteCount, at: now, into: &effects)
        } catch {
            lose(closing: error.description, at: now, into: &effects)
        }
        finish(at: now, into: &effects)
    }

    /// The bytes of a header that state the length of the fields.
    private static let fieldsLengthBytes = 4..<8

    private mutating func refuse(
        _ header: Header, of byteCount: Int, at now: Duration, into effects: inout [BridgeEffect]
    ) throws(WireError) {
        let sentence =
            "a message of \(byteCount) bytes from '\(parentName)' exceeds the limit of the link to "
            + "'\(configuration.name)', \(link.terms?.maximum ?? 0) bytes"
        let failure = Failure(.limitReached, message: sentence)
        switch header.command {
        case .visit, .delivery:
            try above.refuseVisit(header, failure, into: &aboveEffects)
        case .outcome:
            // The session counts it, as any outcome.
            var fields = FieldWriter()
            failure.write(to: &fields)
            let outcome = Header(
                .outcome, fieldsLength: UInt32(fields.bytes.count), id: header.id,
                sequence: header.sequence, code: OutcomeCode.failed.rawValue)
            let message = outcome.encoded() + fields.bytes
            try above.received(outcome, message.span.bytes, into: &aboveEffects)
        case .answer:
            answerIsTooLong(header.id, of: byteCount, sentence)
        default:
            // The type of the frame is not known here.
            refuse(sentence, at: now, into: &effects)
        }
    }

    private mutating func answerIsTooLong(
        _ request: UInt64, of byteCount: Int, _ sentence: String
    ) {
        switch request {
        case aboveQueries.values.request: valuesAreTooLong(byteCount: byteCount)
        case aboveQueries.names.request: namesAreTooMany()
        default:
            _ = refused(
                request, .above,
                Refused(request: request, code: .limitReached, sentence: sentence))
        }
    }
}
