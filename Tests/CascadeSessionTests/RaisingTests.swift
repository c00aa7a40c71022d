// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct RaisingTests {
    private let a = NodeDeclaration(path: "/a")
    private let inner = NodeDeclaration(path: "/a/b")
    private let other = RaiseOptions(.up, from: .node("/a/b"))
    private let unacknowledged = RaiseOptions(.up, from: .node("/a"), flags: .unacknowledged)

    @Test("Messages are numbered from 1, and known names and paths are sent as numbers")
    func numbers() throws {
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

    @Test("A raised message takes credit, and its outcome returns it")
    func outcome() throws {
        var conversation = try Conversation.attached(a, credit: 1)
        _ = try conversation.raise()
        #expect(conversation.session.canRaise == false)
        _ = conversation.next()
        try conversation.hear(.handled(1))
        #expect(conversation.next() == ["ended 1", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test("A refusal ends a message and returns its credit")
    func refusal() throws {
        var conversation = try Conversation.attached(a, credit: 1)
        _ = try conversation.raise()
        _ = conversation.next()
        try conversation.hear(Refused(sequence: 1, code: .noSuchNode, sentence: ""))
        #expect(conversation.next() == ["ended 1 noSuchNode", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test("Credit of unacknowledged messages is returned by the daemon in batches")
    func unacknowledgedCredit() throws {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise(.ping, unacknowledged)
        _ = try conversation.raise(.ping, unacknowledged)
        #expect(conversation.session.canRaise == false)
        try conversation.hear(Header(.credit, code: 2))
        #expect(conversation.session.canRaise == true)
    }

    @Test("An outcome is reported once, and an outcome of an unknown message is ignored")
    func once() throws {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise()
        _ = conversation.next()
        try conversation.hear(.handled(1))
        try conversation.hear(.handled(1))
        try conversation.hear(.handled(9))
        #expect(conversation.next() == ["ended 1", "credit"])
    }

    @Test("After a reconnect, messages without an outcome are sent again in order")
    func again() throws {
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

    @Test("A message that is sent again takes credit again")
    func creditAgain() throws {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise()
        _ = try conversation.raise(.ping, unacknowledged)
        conversation.disconnect()
        try conversation.welcome(credit: 2)
        try conversation.hear(.reattached(a))
        _ = try conversation.raise()
        #expect(conversation.session.canRaise == false)
    }

    @Test("An unacknowledged message is not sent again")
    func unacknowledgedAgain() throws {
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
    @Test("An event of a node that was taken over is sent again from the node's parent")
    func takenAway() throws {
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
