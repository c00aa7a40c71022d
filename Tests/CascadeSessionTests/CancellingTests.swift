// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct CancellingTests {
    private let a = NodeDeclaration(path: "/a")

    @Test func `cancelling a request sends its sequence number`() throws {
        var conversation = try Conversation.attached(a)
        let sequence = try conversation.raise()
        _ = conversation.next()
        conversation.cancel(sequence)
        #expect(conversation.next() == ["> cancel 0 of 1"])
    }

    @Test func `a request cancelled without a connection is not redelivered and takes no credit`()
        throws
    {
        var conversation = try Conversation.attached(a, credit: 1)
        let sequence = try conversation.raise()
        conversation.disconnect()
        conversation.cancel(sequence)
        try conversation.welcome(credit: 1)
        _ = conversation.next()
        try conversation.hear(.reattached(a))
        #expect(conversation.next() == ["credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test func `a request whose cancellation was sent is forgotten when the connection breaks`()
        throws
    {
        var conversation = try Conversation.attached(a, credit: 1)
        let sequence = try conversation.raise()
        conversation.cancel(sequence)
        _ = conversation.next()
        conversation.disconnect()
        #expect(conversation.next().contains("ended \(sequence) cancelled"))
        try conversation.welcome(credit: 1)
        _ = conversation.next()
        try conversation.hear(.reattached(a))
        #expect(conversation.next() == ["credit"])
    }

    @Test func `a running visit is cancelled, and its verdict is still sent`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        _ = conversation.next()
        try conversation.hear(Header(.cancel, node: 1, id: 5))
        #expect(conversation.next() == ["cancelled"])
        conversation.finish(.passed)
        #expect(conversation.next() == ["> verdict 5 passed"])
    }

    @Test func `a cancelled visit runs none of its further stops`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(
            5, at: 1, stops: Itinerary.Stop(node: 1, responder: 0),
            Itinerary.Stop(node: 1, responder: 1))
        try conversation.hear(Header(.cancel, node: 1, id: 5))
        _ = conversation.next()
        conversation.finish(.passed)
        #expect(conversation.next() == ["> verdict 5 passed"])
    }

    @Test func `a cancelled visit that waits never runs`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 1)
        try conversation.visit(7, at: 1)
        _ = conversation.next()
        try conversation.hear(Header(.cancel, node: 1, id: 6))
        #expect(conversation.next() == ["> verdict 6 failed"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled, next accepted", "run 1.0"])
    }

    @Test func `a cancel for a finished or unknown visit is ignored`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        conversation.finish()
        _ = conversation.next()
        try conversation.hear(Header(.cancel, node: 1, id: 5))
        try conversation.hear(Header(.cancel, node: 1, id: 9))
        #expect(conversation.next().isEmpty)
    }
}
