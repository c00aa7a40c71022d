// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct MovingTests {
    private let a = NodeDeclaration(path: "/a")

    @Test("A node that is moved keeps its number, is at its new path, and attaches there again")
    func moved() throws {
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

    @Test("What is under way goes on: visits are worked off, one at a time as before")
    func visits() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1)
        try conversation.hear(Moved(node: 1, path: "/b"))
        try conversation.visit(6, at: 1)
        #expect(conversation.next() == ["> accept 5", "run 1.0", "moved /a /b"])
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled, next accepted", "run 1.0"])
    }

    @Test("What it raised before is sent again, if need be, from where it is")
    func raised() throws {
        var conversation = try Conversation.attached(a)
        _ = try conversation.raise()
        try conversation.hear(Moved(node: 1, path: "/b"))
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.reattached(NodeDeclaration(path: "/b")))
        #expect(conversation.next() == ["> trigger 1 Ping from node 1", "credit"])
    }

    @Test("A node of somebody else that is moved is nobody's business here")
    func stranger() throws {
        var conversation = try Conversation.attached(a)
        try conversation.hear(Moved(node: 9, path: "/b"))
        #expect(conversation.next().isEmpty)
    }
}
