// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Checks that an accepted message is written as an equal one.
enum MessageFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let header = try? Header(parsing: bytes) else {
            return
        }
        switch header.command {
        case .hello: read(Hello.self, bytes)
        case .welcome: read(Welcome.self, bytes)
        case .attach: read(Attach.self, bytes)
        case .attached: read(Attached.self, bytes)
        case .change: read(Change.self, bytes)
        case .leave: read(Leave.self, bytes)
        case .detached: read(Detached.self, bytes)
        case .refused: read(Refused.self, bytes)
        case .violation: read(Violation.self, bytes)
        case .define: read(Define.self, bytes)
        case .verdict: read(Verdict.self, bytes)
        case .outcome: read(OutcomeMessage.self, bytes)
        case .query: read(Query.self, bytes)
        case .activate: read(Activate.self, bytes)
        case .administer: read(Administer.self, bytes)
        case .set: read(SetEnvironment.self, bytes)
        case .environment: read(EnvironmentChanges.self, bytes)
        case .moved: read(Moved.self, bytes)
        case .answer: readAnswer(bytes)
        case .itinerary: readItinerary(bytes)
        case .settled: read(Settled.self, bytes)
        case .received: read(Received.self, bytes)
        case .trigger, .visit, .publish, .delivery, .beat, .credit, .done, .accept, .cancel,
            .accepted, .recall:
            break
        }
        readFields(header, bytes)
    }

    private static func read<Message: WireMessage>(_ type: Message.Type, _ bytes: [UInt8]) {
        guard let message = try? Message(parsing: bytes) else {
            return
        }
        let again = try? Message(parsing: message.encoded())
        precondition(again == message, "\(message) is written as \(String(describing: again))")
    }

    /// Reads an answer as each kind. Only the session that sent the query knows the kind.
    private static func readAnswer(_ bytes: [UInt8]) {
        read(BusAnswer.self, bytes)
        read(TreeAnswer.self, bytes)
        read(ActivityAnswer.self, bytes)
        read(SubscribersAnswer.self, bytes)
        read(DocumentAnswer.self, bytes)
    }

    private static func readItinerary(_ bytes: [UInt8]) {
        guard let itinerary = try? Itinerary(parsing: bytes) else {
            return
        }
        precondition((try? Itinerary(parsing: itinerary.encoded())) == itinerary)
    }

    /// Reads the fields of raised messages and errors.
    private static func readFields(_ header: Header, _ bytes: [UInt8]) {
        _ = LaneCode(rawValue: header.code)
        _ = header.payload(of: bytes)
        if let raised = try? RaisedFields(fields: header.fields(of: bytes)) {
            var fields = FieldWriter()
            raised.write(to: &fields)
            let again = try? RaisedFields(fields: FieldReader(fields.bytes))
            precondition(again == raised, "\(raised) is written as \(String(describing: again))")
        }
        if let failure = try? Failure(fields: header.fields(of: bytes)) {
            var fields = FieldWriter()
            failure.write(to: &fields)
            let again = try? Failure(fields: FieldReader(fields.bytes))
            precondition(again == failure, "\(failure) is written as \(String(describing: again))")
            _ = failure.json.text
        }
    }
}
