// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct VisitTests {
    private let a = NodeDeclaration(path: "/a", subscriptions: [.ping], prefetch: 8)
    private let wide = NodeDeclaration(path: "/a", concurrency: 2, prefetch: 8)

    @Test("A node runs its visits one at a time and in order, and accepts each one")
    func oneAtATime() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1, responder: 3)
        try conversation.visit(6, at: 1)
        #expect(conversation.next() == ["> accept 5", "run 1.3"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled, next accepted", "run 1.0"])
        conversation.finish(.passed)
        #expect(conversation.next() == ["> verdict 6 passed"])
    }

    @Test("A node runs as many visits at a time as its concurrency")
    func severalAtATime() throws {
        var conversation = try Conversation.attached(wide)
        for id: UInt64 in 5...7 {
            try conversation.visit(id, at: 1)
        }
        #expect(conversation.next() == ["> accept 5", "run 1.0", "> accept 6", "run 1.0"])
        conversation.finish(place: 1)
        #expect(conversation.next() == ["> verdict 6 handled, next accepted", "run 1.0"])
    }

    @Test("Nodes run their visits independently")
    func severalNodes() throws {
        var conversation = try Conversation.attached(a, NodeDeclaration(path: "/b"))
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 2)
        #expect(conversation.next() == ["> accept 5", "run 1.0", "> accept 6", "run 2.0"])
    }

    @Test("A verdict has the replacement or the failure")
    func verdicts() throws {
        var conversation = try Conversation.attached(wide)
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 1)
        _ = conversation.next()
        conversation.finish(.replaced(Raising(name: .pong, payload: [])))
        conversation.finish(.failed(Failure(name: .pong)))
        #expect(conversation.next() == ["> verdict 5 replaced Pong", "> verdict 6 failed"])
    }

    @Test("A visit combines the header, the fields and earlier definitions")
    func content() throws {
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

    @Test("A visit with undefined numbers cannot be read")
    func undefined() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        #expect(throws: WireError.self) {
            _ = try conversation.session.visit(conversation.running[0].token)
        }
    }

    @Test("Unacknowledged visits have no verdict, and their credit is returned in batches")
    func unacknowledged() throws {
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

    @Test("A delivery without an address goes to the only subscribed node")
    func delivery() throws {
        var conversation = try Conversation.attached(NodeDeclaration(path: "/b"), a)
        try conversation.hear(Header(.delivery, name: 1, id: 5))
        #expect(conversation.next() == ["> accept 5", "run 2 subscription"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled"])
    }

    @Test("A delivery with an address goes to that node")
    func addressedDelivery() throws {
        let b = NodeDeclaration(path: "/b", subscriptions: [.ping])
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(Itinerary([Itinerary.Stop(node: 1, responder: 0)]).encoded())
        try conversation.hear(Header(.delivery, name: 1, id: 5))
        #expect(conversation.next() == ["> accept 5", "run 1 subscription"])
    }

    // The bus omits the address once only one of the session's nodes subscribes.
    @Test("After one of two subscribers is taken over, deliveries go to the other")
    func subscriberThatIsLeft() throws {
        let b = NodeDeclaration(path: "/b", subscriptions: [.ping])
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(.takenOver("/b", node: 2))
        _ = conversation.next()
        try conversation.hear(Header(.delivery, name: 1, id: 5))
        #expect(conversation.next() == ["> accept 5", "run 1 subscription"])
    }

    @Test("A delivery without a subscribed node is an error")
    func strayDelivery() throws {
        var conversation = try Conversation.attached(wide)
        #expect(throws: WireError.self) {
            try conversation.hear(Header(.delivery, name: 1, id: 5))
        }
    }

    @Test("A visit for an unknown node is dropped")
    func goneNode() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 7)
        #expect(conversation.next().isEmpty)
    }

    @Test("Visits of a node that was taken over neither run nor answer")
    func takenAway() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 1)
        try conversation.hear(.takenOver("/a", node: 1))
        _ = conversation.next()
        conversation.finish()
        #expect(conversation.next().isEmpty)
        #expect(conversation.running.isEmpty)
    }

    @Test("Ending an invocation twice sends one verdict")
    func twice() throws {
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
