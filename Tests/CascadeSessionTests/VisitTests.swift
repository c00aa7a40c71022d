// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct VisitTests {
    private let a = NodeDeclaration(path: "/a", subscriptions: [.ping], prefetch: 8)
    private let wide = NodeDeclaration(path: "/a", concurrency: 2, prefetch: 8)

    @Test func `a node runs its visits one at a time and in order, and accepts each one`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1, responder: 3)
        try conversation.visit(6, at: 1)
        #expect(conversation.next() == ["> accept 5", "run 1.3"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled, next accepted", "run 1.0"])
        conversation.finish(.passed)
        #expect(conversation.next() == ["> verdict 6 passed"])
    }

    @Test func `a node runs as many visits at a time as its concurrency`() throws {
        var conversation = try Conversation.attached(wide)
        for id: UInt64 in 5...7 {
            try conversation.visit(id, at: 1)
        }
        #expect(conversation.next() == ["> accept 5", "run 1.0", "> accept 6", "run 1.0"])
        conversation.finish(place: 1)
        #expect(conversation.next() == ["> verdict 6 handled, next accepted", "run 1.0"])
    }

    @Test func `visits of different nodes run at the same time`() throws {
        var conversation = try Conversation.attached(a, NodeDeclaration(path: "/b"))
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 2)
        #expect(conversation.next() == ["> accept 5", "run 1.0", "> accept 6", "run 2.0"])
    }

    @Test func `a verdict contains the replacement or the failure`() throws {
        var conversation = try Conversation.attached(wide)
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 1)
        _ = conversation.next()
        conversation.finish(.replaced(Raising(name: .pong, payload: [])))
        conversation.finish(.failed(Failure(name: .pong)))
        #expect(conversation.next() == ["> verdict 5 replaced Pong", "> verdict 6 failed"])
    }

    @Test func `a visit combines the header, the fields and earlier definitions`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.define(
            .node(number: 9, "/x"),
            .session(
                number: 4, SessionIdentity(SessionID(high: 3, low: 3), isProven: false)))
        var fields = FieldWriter()
        RaisedFields(attributes: [Attribute("k", "v")], contentType: "text/plain").write(
            to: &fields)
        let header = Header(
            .visit, fieldsLength: UInt32(fields.bytes.count), node: 1, name: 1, id: 5, sequence: 8,
            origin: 9, session: 4, time: 250)
        try conversation.hear(header.encoded() + fields.bytes + [1, 2])
        let visit = try conversation.session.visit(conversation.running[0].token)
        #expect(visit.node == "/a")
        #expect(visit.name == .ping)
        #expect(visit.id == EventID(session: SessionID(high: 3, low: 3), sequence: 8))
        #expect(visit.origin == "/x")
        #expect(visit.attributes == [Attribute("k", "v")])
        #expect(visit.contentType == "text/plain")
        #expect(visit.millisecondsLeft == 250)
        #expect(Array(visit.payload) == [1, 2])
        #expect(!visit.isPublication)
    }

    @Test func `a visit with undefined numbers cannot be read`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        #expect(throws: WireError.self) {
            _ = try conversation.session.visit(conversation.running[0].token)
        }
    }

    @Test func `unacknowledged visits have no verdict and return credit in batches`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(0, at: 1, flags: .unacknowledged)
        try conversation.visit(0, at: 1, flags: .unacknowledged)
        try conversation.visit(0, at: 1, flags: .unacknowledged)
        conversation.finish()
        conversation.finish(.failed(Failure(name: .pong)))
        #expect(
            conversation.next() == ["run 1.0", "run 1.0", "> credit 2 of node 1", "run 1.0"])
        conversation.finish()
        #expect(conversation.next().isEmpty)
    }

    @Test func `a beat returns the credit of a batch that is not full`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(0, at: 1, flags: .unacknowledged)
        conversation.finish()
        #expect(conversation.next() == ["run 1.0"])
        conversation.answer(beat: 5)
        #expect(conversation.next() == ["> beat 5", "> credit 1 of node 1"])
        conversation.answer(beat: 6)
        #expect(conversation.next() == ["> beat 6"])
    }

    @Test func `a delivery without an address goes to the only subscribed node`() throws {
        var conversation = try Conversation.attached(NodeDeclaration(path: "/b"), a)
        try conversation.hear(Header(.delivery, name: 1, id: 5))
        #expect(conversation.next() == ["> accept 5", "run 2 subscription"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled"])
    }

    @Test func `a delivery with an address goes to that node`() throws {
        let b = NodeDeclaration(path: "/b", subscriptions: [.ping])
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(Itinerary([Itinerary.Stop(node: 1, responder: 0)]).encoded())
        try conversation.hear(Header(.delivery, name: 1, id: 5))
        #expect(conversation.next() == ["> accept 5", "run 1 subscription"])
    }

    // The bus omits the address once only one of the session's nodes subscribes.
    @Test func `after one of two subscribers is taken over, deliveries go to the other`() throws {
        let b = NodeDeclaration(path: "/b", subscriptions: [.ping])
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(.takenOver("/b", node: 2))
        _ = conversation.next()
        try conversation.hear(Header(.delivery, name: 1, id: 5))
        #expect(conversation.next() == ["> accept 5", "run 1 subscription"])
    }

    @Test func `a delivery without a subscribed node is an error`() throws {
        var conversation = try Conversation.attached(wide)
        #expect(throws: WireError.self) {
            try conversation.hear(Header(.delivery, name: 1, id: 5))
        }
    }

    @Test func `a visit for an unknown node is dropped`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 7)
        #expect(conversation.next().isEmpty)
    }

    @Test func `visits of a node that was taken over neither run nor answer`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 1)
        try conversation.hear(.takenOver("/a", node: 1))
        _ = conversation.next()
        conversation.finish()
        #expect(conversation.next().isEmpty)
        #expect(conversation.running.isEmpty)
    }

    @Test func `an invocation that ends twice sends one verdict`() throws {
        var conversation = try Conversation.attached(wide)
        try conversation.visit(5, at: 1)
        var effects: [SessionEffect] = []
        var session = conversation.session
        let token = conversation.running[0].token
        session.finished(token, .handled, microseconds: 0, into: &effects)
        session.finished(token, .handled, microseconds: 0, into: &effects)
        #expect(effects.map(\.line) == ["> verdict 5 handled"])
    }
}
