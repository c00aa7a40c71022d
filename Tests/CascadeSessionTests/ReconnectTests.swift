// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// What was under way at a node when the connection broke.
@Suite struct ReconnectTests {
    private static func reconnected(
        _ node: NodeDeclaration, visits: UInt64
    ) throws -> Conversation {
        var conversation = try Conversation.attached(node)
        for id in 1...visits {
            try conversation.visit(id, at: 1)
        }
        conversation.disconnect()
        try conversation.welcome()
        try conversation.define(.name(number: 1, .ping))
        try conversation.hear(.reattached(node))
        _ = conversation.next()
        return conversation
    }

    @Test("Results of visits from before go nowhere")
    func results() throws {
        var conversation = try Self.reconnected(NodeDeclaration(path: "/a"), visits: 2)
        conversation.finish()
        #expect(conversation.next().isEmpty)
        #expect(conversation.running.isEmpty)
    }

    @Test("What still runs takes its room: the next visit waits for it")
    func room() throws {
        var conversation = try Self.reconnected(NodeDeclaration(path: "/a"), visits: 1)
        try conversation.visit(9, at: 1)
        #expect(conversation.next().isEmpty)
        conversation.finish()
        #expect(conversation.next() == ["> accept 9", "run 1.0"])
    }

    @Test("With room for two, the one that still runs leaves room for one")
    func roomForTwo() throws {
        let wide = NodeDeclaration(path: "/a", concurrency: 2)
        var conversation = try Self.reconnected(wide, visits: 1)
        try conversation.visit(8, at: 1)
        try conversation.visit(9, at: 1)
        #expect(conversation.next() == ["> accept 8", "run 1.0"])
        conversation.finish()
        #expect(conversation.next() == ["> accept 9", "run 1.0"])
    }

    @Test("Credit that was due for what nobody waits for is not due to the next daemon")
    func credit() throws {
        let node = NodeDeclaration(path: "/a", prefetch: 8)
        var conversation = try Conversation.attached(node)
        try conversation.visit(0, at: 1, flags: .unacknowledged)
        conversation.finish()
        conversation.disconnect()
        try conversation.welcome()
        try conversation.hear(.reattached(node))
        _ = conversation.next()
        try conversation.visit(0, at: 1, flags: .unacknowledged)
        conversation.finish()
        #expect(conversation.next() == ["run 1.0"])
    }

    @Test("What was asked of a node is asked again by the number that the new daemon gives it")
    func numbers() throws {
        let nodes = [NodeDeclaration(path: "/a"), NodeDeclaration(path: "/b")]
        var conversation = try Conversation.attached(nodes[0], nodes[1])
        conversation.send(Leave(request: 7, node: 2))
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        // The new daemon numbers in another order.
        try conversation.hear(.reattached(nodes[1], nodes[0]))
        #expect(conversation.next() == ["> leave 7 of 1", "credit"])
    }

    @Test("A node that is gone when the daemon is back has left")
    func leftMeanwhile() throws {
        let node = NodeDeclaration(path: "/a")
        var conversation = try Conversation.attached(node)
        conversation.send(Leave(request: 7, node: 1))
        try conversation.hear(.takenOver("/a", node: 1))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next().contains("done 7"))
    }

    // The daemon had the event and knows its outcome before the nodes stand again. Anything new
    // that went first would make all that is sent again behind it malformed.
    @Test("An outcome that comes before the rest is sent again brings no credit")
    func earlyOutcome() throws {
        let node = NodeDeclaration(path: "/a")
        var conversation = try Conversation.attached(node)
        let numbers = [try conversation.raise(), try conversation.raise()]
        #expect(numbers == [1, 2])
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.handled(1))
        #expect(conversation.next() == ["ended 1"])
        #expect(!conversation.session.canRaise)
        try conversation.hear(.reattached(node))
        #expect(conversation.next() == ["> trigger 2 Ping from node 1", "credit"])
        #expect(conversation.session.canRaise)
    }
}
