// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Readers of every kind of bytes: each throws ``WireError`` or returns a value, and never traps.
enum Reading {
    /// Reads a frame as its header says, in the roles of both daemon and worker.
    static func message(_ frame: [UInt8]) throws(WireError) {
        let header = try Header(parsing: frame)
        let fields = header.fields(of: frame)
        switch header.command {
        case .hello: _ = try Hello(header: header, fields: fields)
        case .welcome: _ = try Welcome(header: header, fields: fields)
        case .attach: _ = try Attach(header: header, fields: fields)
        case .attached: _ = try Attached(header: header, fields: fields)
        case .change: _ = try Change(header: header, fields: fields)
        case .leave: _ = try Leave(header: header, fields: fields)
        case .detached: _ = try Detached(header: header, fields: fields)
        case .refused: _ = try Refused(header: header, fields: fields)
        case .violation: _ = try Violation(header: header, fields: fields)
        case .define: _ = try Define(header: header, fields: fields)
        case .verdict: _ = try Verdict(header: header, fields: fields)
        case .outcome: _ = try OutcomeMessage(header: header, fields: fields)
        case .query: _ = try Query(header: header, fields: fields)
        case .activate: _ = try Activate(header: header, fields: fields)
        case .administer: _ = try Administer(header: header, fields: fields)
        case .set: _ = try SetEnvironment(header: header, fields: fields)
        case .environment: _ = try EnvironmentChanges(header: header, fields: fields)
        case .moved: _ = try Moved(header: header, fields: fields)
        case .settled: _ = try Settled(header: header, fields: fields)
        case .received: _ = try Received(header: header, fields: fields)
        case .answer: try answer(header, fields)
        case .itinerary: _ = try Itinerary(parsing: frame)
        case .trigger, .visit, .publish, .delivery, .beat, .credit, .done, .accept, .cancel,
            .accepted, .recall:
            _ = try RaisedFields(fields: fields)
            _ = try Failure(fields: fields)
            _ = LaneCode(rawValue: header.code)
        }
        _ = header.payload(of: frame)
    }

    /// Only the session that sent a query knows the kind of its answer.
    private static func answer(_ header: Header, _ fields: FieldReader) throws(WireError) {
        _ = try BusAnswer(header: header, fields: fields)
        _ = try TreeAnswer(header: header, fields: fields)
        _ = try SubscribersAnswer(header: header, fields: fields)
        _ = try DocumentAnswer(header: header, fields: fields)
    }

    /// The code with which a reader refuses; `nil` if it succeeds.
    static func errorCode(_ read: () throws -> Any?) -> ErrorCode? {
        do {
            _ = try read()
            return nil
        } catch {
            return (error as? WireError)?.code
        }
    }
}
