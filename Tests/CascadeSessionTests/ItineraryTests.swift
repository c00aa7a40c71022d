// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// Consecutive responders of one session are asked in one round trip.
@Suite struct ItineraryTests {
    private typealias Stop = Itinerary.Stop

    private static func twoNodes() throws -> Conversation {
        try .attached(NodeDeclaration(path: "/a/b"), NodeDeclaration(path: "/a"))
    }

    @Test func `stops run one after the other, and one verdict names the last one`() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 1, responder: 2),
            Stop(node: 2, responder: 1))
        #expect(conversation.next() == ["> accept 5", "run 1.0"])
        conversation.finish(.passed)
        #expect(conversation.next() == ["run 1.2"])
        conversation.finish(.passed)
        #expect(conversation.next() == ["run 2.1"])
        conversation.finish(.handled)
        #expect(conversation.next() == ["> verdict 5 handled at stop 2"])
    }

    @Test func `the first stop that does not pass is the last one`() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.handled)
        #expect(conversation.next() == ["> accept 5", "run 1.0", "> verdict 5 handled"])
    }

    @Test func `a visit whose stops all pass has passed`() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.passed)
        conversation.finish(.passed)
        #expect(conversation.next().last == "> verdict 5 passed at stop 1")
    }

    @Test func `a visit waits its turn at its next node while its last node goes on`() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(4, at: 2)
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        try conversation.visit(6, at: 1)
        _ = conversation.next()
        conversation.finish(.passed, place: 1)
        #expect(conversation.next() == ["> accept 6", "run 1.0"])
        conversation.finish(.handled)
        #expect(conversation.next() == ["> verdict 4 handled", "run 2.0"])
        conversation.finish(.handled, place: 1)
        #expect(conversation.next() == ["> verdict 5 handled at stop 1"])
    }

    @Test func `a stop at a node that was taken over is skipped`() throws {
        var conversation = try Conversation.attached(
            NodeDeclaration(path: "/a/b/c"), NodeDeclaration(path: "/a/b"),
            NodeDeclaration(path: "/a"))
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0),
            Stop(node: 3, responder: 0))
        try conversation.hear(.takenOver("/a/b", node: 2))
        _ = conversation.next()
        conversation.finish(.passed)
        #expect(conversation.next() == ["run 3.0"])
        conversation.finish(.handled)
        #expect(conversation.next() == ["> verdict 5 handled at stop 2"])
    }

    @Test func `a visit that waits at a node passes when the node is taken over`() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(4, at: 2)
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.passed, place: 1)
        _ = conversation.next()
        try conversation.hear(.takenOver("/a", node: 2))
        #expect(
            conversation.next() == ["> verdict 5 passed at stop 1", "detached /a takenOver"])
    }

    @Test func `a running visit gives its verdict although its node is taken over`() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.passed)
        try conversation.hear(.takenOver("/a", node: 2))
        _ = conversation.next()
        conversation.finish(.handled)
        #expect(conversation.next() == ["> verdict 5 handled at stop 1"])
    }

    @Test func `an itinerary received before a disconnect does not apply to later visits`() throws {
        let b = NodeDeclaration(path: "/a/b")
        var conversation = try Conversation.attached(b)
        try conversation.hear(Itinerary([Stop(node: 1, responder: 7)]).encoded())
        conversation.disconnect()
        try conversation.welcome()
        try conversation.hear(.reattached(b))
        _ = conversation.next()
        try conversation.visit(5, at: 1, responder: 2)
        #expect(conversation.next() == ["> accept 5", "run 1.2"])
    }
}
