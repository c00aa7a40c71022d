// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct MovingTests {
    private let a = NodeDeclaration(path: "/a")

    @Test func `a moved node keeps its number and reattaches at its new path`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.hear(Moved(node: 1, path: "/b/a"))
        #expect(conversation.next() == ["moved /a /b/a"])
        #expect(conversation.session.number(of: "/b/a") == 1)
        #expect(conversation.session.number(of: "/a") == nil)
        #expect(conversation.session.path(of: 1) == "/b/a")
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next().last == "> attach /b/a")
    }

    @Test func `visits of a moved node go on, one at a time`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        try conversation.hear(Moved(node: 1, path: "/b"))
        try conversation.visit(6, at: 1)
        #expect(conversation.next() == ["> accept 5", "run 1.0", "moved /a /b"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled, next accepted", "run 1.0"])
    }

    @Test func `a message raised before a move is redelivered from the moved node`() throws {
        var conversation = try Conversation.attached(a)
        _ = try conversation.raise()
        try conversation.hear(Moved(node: 1, path: "/b"))
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.reattached(NodeDeclaration(path: "/b")))
        #expect(conversation.next() == ["> trigger 1 Ping from node 1", "credit"])
    }

    @Test func `a node that moves without a connection attaches at its new path`() throws {
        var conversation = try Conversation.attached(a)
        _ = try conversation.raise()
        conversation.disconnect()
        conversation.move("/a", to: "/b")
        try conversation.welcome()
        #expect(conversation.next().last == "> attach /b")
        try conversation.hear(.reattached(NodeDeclaration(path: "/b")))
        #expect(conversation.next() == ["> trigger 1 Ping from node 1", "credit"])
    }

    @Test func `an attach that was not answered is sent again with the new path`() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        conversation.disconnect()
        conversation.move("/a", to: "/b")
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next().contains("> attach /b"))
        try conversation.hear(.attached([NodeDeclaration(path: "/b")], request: 1))
        #expect(conversation.session.number(of: "/b") == 1)
    }

    @Test func `a move of an unknown node is ignored`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.hear(Moved(node: 9, path: "/b"))
        #expect(conversation.next().isEmpty)
    }
}
