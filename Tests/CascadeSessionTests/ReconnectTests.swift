// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// Visits under way at a node when the connection broke.
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

    @Test func `the result of a visit from an earlier connection is dropped`() throws {
        var conversation = try Self.reconnected(NodeDeclaration(path: "/a"), visits: 2)
        conversation.finish()
        #expect(conversation.next().isEmpty)
        #expect(conversation.running.isEmpty)
    }

    @Test func `a visit from an earlier connection occupies its node until it ends`() throws {
        var conversation = try Self.reconnected(NodeDeclaration(path: "/a"), visits: 1)
        try conversation.visit(9, at: 1)
        #expect(conversation.next().isEmpty)
        conversation.finish()
        #expect(conversation.next() == ["> accept 9", "run 1.0"])
    }

    @Test func `a visit from an earlier connection occupies one of a node's two slots`() throws {
        let wide = NodeDeclaration(path: "/a", concurrency: 2)
        var conversation = try Self.reconnected(wide, visits: 1)
        try conversation.visit(8, at: 1)
        try conversation.visit(9, at: 1)
        #expect(conversation.next() == ["> accept 8", "run 1.0"])
        conversation.finish()
        #expect(conversation.next() == ["> accept 9", "run 1.0"])
    }

    @Test func `credit due on an earlier connection is not returned to the next daemon`() throws {
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

    @Test func `a request about a node is sent again with the number of the new daemon`() throws {
        let nodes = [NodeDeclaration(path: "/a"), NodeDeclaration(path: "/b")]
        var conversation = try Conversation.attached(nodes[0], nodes[1])
        conversation.send(Leave(request: 7, node: 2))
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        // The new daemon assigns the numbers in another order.
        try conversation.hear(.reattached(nodes[1], nodes[0]))
        #expect(conversation.next() == ["> leave 7 of 1", "credit"])
    }

    @Test func `a leave of a node that was taken over is done after a reconnect`() throws {
        let node = NodeDeclaration(path: "/a")
        var conversation = try Conversation.attached(node)
        conversation.send(Leave(request: 7, node: 1))
        try conversation.hear(.takenOver("/a", node: 1))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next().contains("done 7"))
    }

    @Test func `messages that are sent again wait for the new credit, and new ones behind them`()
        throws
    {
        let node = NodeDeclaration(path: "/a")
        var conversation = try Conversation.attached(node)
        for _ in 1...4 {
            _ = try conversation.raise()
        }
        conversation.disconnect()
        try conversation.welcome(credit: 2)
        _ = conversation.next()
        try conversation.hear(.reattached(node))
        #expect(
            conversation.next() == [
                "> trigger 1 Ping from node 1", "> trigger 2 Ping from node 1", "credit",
            ])
        #expect(conversation.session.canRaise == false)
        // The third ends before it is sent again, and has used no credit.
        try conversation.hear(.handled(3))
        #expect(conversation.next() == ["ended 3"])
        try conversation.hear(.handled(1))
        #expect(conversation.next() == ["ended 1", "> trigger 4 Ping from node 1", "credit"])
        #expect(conversation.session.canRaise == false)
        try conversation.hear(.handled(2))
        #expect(conversation.next() == ["ended 2", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    // The daemon had the event and knows its outcome before the nodes are attached. A new message
    // sent before them would make every redelivery after it malformed.
    @Test func `an outcome that precedes its redelivery returns no credit`() throws {
        let node = NodeDeclaration(path: "/a")
        var conversation = try Conversation.attached(node)
        let numbers = [try conversation.raise(), try conversation.raise()]
        #expect(numbers == [1, 2])
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.handled(1))
        #expect(conversation.next() == ["ended 1"])
        #expect(conversation.session.canRaise == false)
        try conversation.hear(.reattached(node))
        #expect(conversation.next() == ["> trigger 2 Ping from node 1", "credit"])
        #expect(conversation.session.canRaise == true)
    }
}
