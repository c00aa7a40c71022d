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

    @Test("Stops run one after the other, and one verdict names the last one")
    func order() throws {
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

    @Test("The first stop that does not pass is the last one")
    func early() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.handled)
        #expect(conversation.next() == ["> accept 5", "run 1.0", "> verdict 5 handled"])
    }

    @Test("A visit whose stops all pass has passed")
    func allPass() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.passed)
        conversation.finish(.passed)
        #expect(conversation.next().last == "> verdict 5 passed at stop 1")
    }

    @Test("A visit waits its turn at its next node, and the node before it goes on")
    func turn() throws {
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

    @Test("A stop at a node that was taken over is skipped")
    func goneStop() throws {
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

    @Test("A visit that waits at a node passes when the node is taken over")
    func waitingStop() throws {
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

    @Test("A visit that runs at a node still gives its verdict when the node is taken over")
    func runningStop() throws {
        var conversation = try Self.twoNodes()
        try conversation.visit(
            5, at: 1, stops: Stop(node: 1, responder: 0), Stop(node: 2, responder: 0))
        conversation.finish(.passed)
        try conversation.hear(.takenOver("/a", node: 2))
        _ = conversation.next()
        conversation.finish(.handled)
        #expect(conversation.next() == ["> verdict 5 handled at stop 1"])
    }

    @Test("An itinerary received before a disconnect does not apply to later visits")
    func brokenOff() throws {
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
