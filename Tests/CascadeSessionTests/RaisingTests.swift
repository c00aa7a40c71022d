// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct RaisingTests {
    private let a = NodeDeclaration(path: "/a")
    private let inner = NodeDeclaration(path: "/a/b")
    private let other = RaiseOptions(.up, from: .node("/a/b"))
    private let unacknowledged = RaiseOptions(.up, from: .node("/a"), flags: .unacknowledged)

    @Test func `messages are numbered from 1, and defined names and paths are sent as numbers`()
        throws
    {
        var conversation = try Conversation.attached(a)
        #expect(try conversation.raise() == 1)
        #expect(try conversation.raise(.pong) == 2)
        #expect(try conversation.raise(.ping, RaiseOptions(.up, from: .outsider("/x"))) == 3)
        #expect(try conversation.raise(.ping, RaiseOptions(.down(.all), from: .node("/a"))) == 4)
        #expect(
            conversation.next() == [
                "> trigger 1 name 1 from node 1", "> trigger 2 Pong from node 1",
                "> trigger 3 name 1 from /x", "> publish 4 name 1 from node 1",
            ])
    }

    @Test func `a raised message takes credit, and its outcome returns it`() throws {
        var conversation = try Conversation.attached(a, credit: 1)
        _ = try conversation.raise()
        #expect(conversation.session.canRaise == false)
        _ = conversation.next()
        try conversation.hear(.handled(1))
        #expect(conversation.next() == ["ended 1", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test func `a refusal ends a message and returns its credit`() throws {
        var conversation = try Conversation.attached(a, credit: 1)
        _ = try conversation.raise()
        _ = conversation.next()
        try conversation.hear(Refused(sequence: 1, code: .noSuchNode, sentence: ""))
        #expect(conversation.next() == ["ended 1 noSuchNode", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test func `a credit message returns the credit of unacknowledged messages`() throws {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise(.ping, unacknowledged)
        _ = try conversation.raise(.ping, unacknowledged)
        #expect(conversation.session.canRaise == false)
        try conversation.hear(Header(.credit, code: 2))
        #expect(conversation.session.canRaise == true)
    }

    @Test func `an outcome is reported once, and that of an unknown message is ignored`() throws {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise()
        _ = conversation.next()
        try conversation.hear(.handled(1))
        try conversation.hear(.handled(1))
        try conversation.hear(.handled(9))
        #expect(conversation.next() == ["ended 1", "credit"])
    }

    @Test func `messages without an outcome are redelivered in order after a reconnect`() throws {
        var conversation = try Conversation.attached(a, credit: 4)
        for _ in 1...3 {
            _ = try conversation.raise()
        }
        try conversation.hear(.handled(2))
        conversation.disconnect()
        #expect(conversation.session.canRaise == false)
        try conversation.welcome(credit: 4)
        #expect(conversation.session.canRaise == false)
        _ = conversation.next()
        try conversation.define(.name(number: 5, .ping))
        try conversation.hear(.reattached(a))
        #expect(
            conversation.next() == [
                "> trigger 1 name 5 from node 1", "> trigger 3 name 5 from node 1", "credit",
            ])
        #expect(try conversation.raise() == 4)
    }

    @Test func `a redelivered message takes credit again`() throws {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise()
        _ = try conversation.raise(.ping, unacknowledged)
        conversation.disconnect()
        try conversation.welcome(credit: 2)
        try conversation.hear(.reattached(a))
        _ = try conversation.raise()
        #expect(conversation.session.canRaise == false)
    }

    @Test func `an unacknowledged message is not redelivered`() throws {
        var conversation = try Conversation.attached(a)
        _ = try conversation.raise(.ping, unacknowledged)
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.reattached(a))
        #expect(conversation.next() == ["credit"])
    }

    // The node itself would be wrong: its responders serve its descendants, not itself, and they
    // may be those of another process by now.
    @Test func `an event of a node that was taken over is redelivered from the node's parent`()
        throws
    {
        var conversation = try Conversation.attached(a, inner)
        _ = try conversation.raise(.ping, other)
        _ = try conversation.raise(
            .ping, RaiseOptions(.up, from: .node("/a/b"), flags: .includingSelf))
        _ = try conversation.raise(.ping, RaiseOptions(.down(.last), from: .node("/a/b")))
        try conversation.hear(.takenOver("/a/b", node: 2))
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.reattached(a))
        #expect(
            conversation.next() == [
                "> trigger 1 Ping from /a", "> trigger 2 Ping from /a/b",
                "> publish 3 Ping from /a/b", "credit",
            ])
    }
}
