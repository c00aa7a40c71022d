// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// Events that their origin has sent again and that this session may have answered before.
@Suite struct RedeliveryTests {
    private static let wide = NodeDeclaration(path: "/a", concurrency: 4)

    /// A conversation that has answered event 1 as visit 5.
    private static func answered(_ result: InvocationResult) throws -> Conversation {
        var conversation = try Conversation.attached(wide)
        try conversation.event(1, as: 5)
        conversation.finish(result)
        _ = conversation.next()
        return conversation
    }

    @Test func `a redelivered event that was answered is answered again without running`() throws {
        var conversation = try Self.answered(.handled)
        try conversation.event(1, as: 6, .sentAgain)
        #expect(conversation.next() == ["> accept 6", "> verdict 6 handled"])
        #expect(conversation.running.isEmpty)
    }

    @Test func `a repeated answer has the payload and content type of the first`() throws {
        let reply = Reply(payload: [1, 2, 3], contentType: "text/plain")
        var conversation = try Self.answered(.answered(reply))
        let effects = try conversation.effects(ofEvent: 1, as: 6, .sentAgain)
        guard case .sendRaised(let header, let fields, let payload)? = effects.last else {
            Issue.record("no verdict was sent: \(effects)")
            return
        }
        #expect(header.code == VerdictCode.answered.rawValue && header.id == 6)
        #expect(payload == reply.payload)
        #expect(try RaisedFields(fields: FieldReader(fields)).contentType == "text/plain")
    }

    @Test func `an answer is repeated on a later connection under the visit's new number`() throws {
        var conversation = try Self.answered(.failed(Failure(.responderFailed, message: "jam")))
        try conversation.reconnect(Self.wide)
        try conversation.event(1, as: 1, .sentAgain)
        #expect(conversation.next() == ["> accept 1", "> verdict 1 failed"])
    }

    @Test func `an answer that was lost with its connection is repeated`() throws {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.event(1, as: 5)
        try conversation.reconnect(Self.wide)
        conversation.finish()
        try conversation.event(1, as: 1, .sentAgain)
        #expect(conversation.next() == ["> accept 1", "> verdict 1 handled"])
    }

    @Test func `a redelivered event that still runs runs once, and its result answers all visits`()
        throws
    {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.event(1, as: 5)
        try conversation.reconnect(Self.wide)
        try conversation.event(1, as: 1, .sentAgain)
        try conversation.event(1, as: 2, .sentAgain)
        #expect(conversation.next() == ["> accept 1", "> accept 2"])
        #expect(conversation.running.count == 1)
        conversation.finish()
        #expect(conversation.next() == ["> verdict 1 handled", "> verdict 2 handled"])
        try conversation.event(2, as: 3)
        #expect(conversation.next() == ["> accept 3", "run 1.0"])
    }

    @Test func `an answered event runs again unless it is marked as redelivered`() throws {
        var conversation = try Self.answered(.handled)
        try conversation.event(1, as: 6)
        #expect(conversation.next() == ["> accept 6", "run 1.0"])
    }

    @Test func `a redelivered visit of another event, responder or session, or after a pass, runs`()
        throws
    {
        var conversation = try Self.answered(.passed)
        try conversation.event(1, as: 6, .sentAgain)
        conversation.finish(.handled)
        try conversation.event(2, as: 7, .sentAgain)
        conversation.finish(.handled)
        _ = conversation.next()
        try conversation.event(1, as: 8, .sentAgain, responder: 1)
        #expect(conversation.next() == ["> accept 8", "run 1.1"])
        try conversation.event(1, as: 9, .sentAgain, session: 2)
        #expect(conversation.next() == ["> accept 9", "run 1.0"])
    }

    @Test func `a redelivered request that was cancelled runs again`() throws {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.event(1, as: 5)
        try conversation.hear(Header(.cancel, node: 1, id: 5))
        conversation.finish(.failed(Failure(.cancelled)))
        _ = conversation.next()
        try conversation.event(1, as: 6, .sentAgain)
        #expect(conversation.next() == ["> accept 6", "run 1.0"])
    }

    @Test func `stops of a redelivered visit that were answered do not run again`() throws {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.event(1, as: 5, responder: 1)
        conversation.finish(.handled)
        _ = conversation.next()
        try conversation.hear(
            Itinerary([.init(node: 1, responder: 0), .init(node: 1, responder: 1)]).encoded())
        try conversation.event(1, as: 6, .sentAgain)
        conversation.finish(.passed)
        #expect(conversation.next() == ["> accept 6", "run 1.0", "> verdict 6 handled at stop 1"])
    }

    @Test func `a new node at the same path does not repeat its predecessor's answers`() throws {
        var conversation = try Self.answered(.handled)
        try conversation.hear(
            Detached(node: 1, path: "/a", reason: .left, sentence: "the node has left"))
        conversation.attach([Self.wide], request: 2)
        try conversation.hear(.attached([Self.wide], request: 2))
        _ = conversation.next()
        try conversation.event(1, as: 6, .sentAgain)
        #expect(conversation.next() == ["> accept 6", "run 1.0"])
    }

    @Test func `the last 1,024 answers can be repeated`() throws {
        let node = NodeDeclaration(path: "/a", prefetch: 2048)
        var conversation = try Conversation.attached(node)
        for event in 1...1025 as ClosedRange<UInt64> {
            try conversation.event(event, as: event)
            conversation.finish()
        }
        _ = conversation.next()
        try conversation.event(1, as: 2001, .sentAgain)
        for event in 2...1025 as ClosedRange<UInt64> {
            try conversation.event(event, as: 3000 + event, .sentAgain)
        }
        #expect(conversation.next() == ["> accept 2001", "run 1.0"])
        conversation.finish()
        let verdicts = conversation.next().filter { $0.hasPrefix("> verdict") }
        #expect(verdicts.count == 1025)
        #expect(conversation.running.isEmpty)
    }

    @Test func `a visit knows whether it is redelivered`() throws {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.event(1, as: 5)
        try conversation.event(2, as: 6, .sentAgain)
        let visits = try conversation.running.map { try conversation.session.visit($0.token) }
        #expect(visits.map(\.isRedelivered) == [false, true])
    }
}

extension Conversation {
    /// Reconnects, with the same definitions as before.
    fileprivate mutating func reconnect(_ node: NodeDeclaration) throws {
        disconnect()
        try welcome()
        try define(.name(number: 1, .ping))
        try hear(.reattached(node))
        _ = next()
    }

    /// Receives the event with this number as a visit of node 1.
    fileprivate mutating func event(
        _ sequence: UInt64, as id: UInt64, _ flags: HeaderFlags = [], responder: UInt16 = 0,
        session: UInt32 = 1
    ) throws {
        try define(
            .session(
                number: session,
                SessionIdentity(SessionID(high: 3, low: UInt64(session)), isProven: false)),
            .node(number: 7, "/origin"))
        try hear(
            Header(
                .visit, flags: flags, index: responder, node: 1, name: 1, id: id,
                sequence: sequence, origin: 7, session: session))
    }

    fileprivate mutating func effects(
        ofEvent sequence: UInt64, as id: UInt64, _ flags: HeaderFlags
    ) throws -> [SessionEffect] {
        var effects: [SessionEffect] = []
        let header = Header(
            .visit, flags: flags, node: 1, name: 1, id: id, sequence: sequence, session: 1)
        try receive(header, into: &effects)
        return effects
    }
}
