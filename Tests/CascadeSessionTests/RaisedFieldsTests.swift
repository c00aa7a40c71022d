// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// The header and the fields of a trigger or publication.
@Suite struct RaisedFieldsTests {
    private let id = EventID(session: SessionID(high: 3, low: 4), sequence: 5)

    /// The header and fields that are sent for a raised message.
    private func sent(
        _ options: RaiseOptions, _ raising: Raising = Raising(name: .ping, payload: [])
    ) throws -> (header: Header, raised: RaisedFields) {
        var conversation = try Conversation.attached(NodeDeclaration(path: "/a"))
        return try #require(try conversation.sent(raising, options))
    }

    @Test(arguments: Lane.allCases)
    func `the lane is encoded in the header`(lane: Lane) throws {
        let sent = try sent(RaiseOptions(.upward(lane), from: .node("/a")))
        #expect(LaneCode(rawValue: sent.header.code) == LaneCode(lane))
        #expect(sent.header.fieldsLength == 0)
    }

    @Test func `the ID of a cause is sent, with its depth plus one`() throws {
        var options = RaiseOptions(.upward(.request), from: .node("/a"))
        options.cause = Cause(id: id, depth: 2)
        let sent = try sent(options)
        #expect(LaneCode(rawValue: sent.header.code) == LaneCode(.request, causes: 3))
        #expect(sent.header.flags.contains(.addressedInFields))
        #expect(sent.raised.cause == id)
    }

    @Test func `a publication has its destination and its causes in the header`() throws {
        var options = RaiseOptions(.down(.all), from: .node("/a"))
        options.cause = Cause(id: id, depth: 0)
        let sent = try sent(options)
        #expect(sent.header.command == .publish)
        #expect(sent.header.code == PublishingDestination.all.rawValue | 1 << 8)
    }

    @Test func `a raised message has the traceparent of its options, or else of its cause`() throws
    {
        let outer = TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let own = TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01")
        var options = RaiseOptions(.up, from: .node("/a"))
        options.cause = Cause(id: id, depth: 0, traceParent: outer)
        #expect(try sent(options).raised.traceParent == outer)
        options.traceParent = own
        #expect(try sent(options).raised.traceParent == own)
        options.cause = nil
        #expect(try sent(options).raised.traceParent == own)
        #expect(try sent(options).header.flags.contains(.addressedInFields))
    }

    @Test func `a message of another bus is sent with its ID and its origin there`() throws {
        var options = RaiseOptions(.upward(.error), from: .node("/a"))
        let failure = Failure(
            name: .ping, node: "/hq:/floor", causes: [Failure(name: .pong, node: "/hq:")])
        options.foreign = ForeignMessage(
            RaisedAs(id, isRepeated: true), from: "/a/till", failure: failure)
        let sent = try sent(options)
        #expect(sent.raised.raisedAs == RaisedAs(id, isRepeated: true))
        #expect(sent.raised.origin == "/a/till")
        #expect(sent.header.node == 1)
        #expect(sent.header.flags.contains(.addressedInFields))
    }

    @Test func `the hold time is sent in milliseconds`() throws {
        var options = RaiseOptions(.up, from: .node("/a"))
        options.holdMilliseconds = 1_500
        let sent = try sent(options)
        #expect(sent.raised.holdMilliseconds == 1_500)
        #expect(sent.header.flags.contains(.addressedInFields))
    }

    @Test func `a reported error is sent with its message and title`() throws {
        let sent = try sent(
            RaiseOptions(.upward(.error), from: .node("/a")),
            Raising(name: .ping, payload: [1], message: "no paper", title: "Printer"))
        #expect(sent.raised.message == "no paper")
        #expect(sent.raised.title == "Printer")
    }

    @Test func `a received error has its message, title and origin`() throws {
        var conversation = try Conversation.attached(NodeDeclaration(path: "/a"))
        try conversation.define(
            .node(number: 9, "/x"),
            .session(
                number: 4, SessionIdentity(SessionID(high: 3, low: 3), isProven: false)))
        var fields = FieldWriter()
        RaisedFields(message: "no paper", title: "Printer").write(to: &fields)
        let header = Header(
            .visit, fieldsLength: UInt32(fields.bytes.count), node: 1, name: 1, id: 5, sequence: 8,
            origin: 9, session: 4, code: LaneCode(.error, causes: 2).rawValue)
        try conversation.hear(header.encoded() + fields.bytes)
        let visit = try conversation.session.visit(conversation.running[0].token)
        #expect(visit.lane == .error)
        #expect(visit.causes == 2)
        #expect(
            visit.failure
                == Failure(name: .ping, message: "no paper", title: "Printer", node: "/x"))
    }
}
