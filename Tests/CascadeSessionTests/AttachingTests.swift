// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct AttachingTests {
    private let a = NodeDeclaration(path: "/a")
    private let b = NodeDeclaration(path: "/b")

    @Test func `nodes attached before the first connection are requested after the welcome`() throws
    {
        var conversation = Conversation()
        conversation.attach([a], request: 1)
        #expect(conversation.next().isEmpty)
        try conversation.welcome()
        #expect(conversation.next() == ["> hello", "welcomed", "> attach /a", "credit"])
        try conversation.hear(.attached([a], request: 1))
        #expect(conversation.next() == ["attached 1", "credit"])
        #expect(conversation.session.number(of: "/a") == 1)
    }

    @Test func `the session cannot raise while nodes are being attached`() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        #expect(conversation.session.canRaise == false)
        try conversation.hear(.attached([a], request: 1))
        #expect(conversation.session.canRaise == true)
    }

    @Test func `a refused node is not attached again after a reconnect`() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        try conversation.hear(Refused(request: 1, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["> attach /a", "refused 1 pathTaken", "credit"])
        #expect(conversation.session.canRaise == true)
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next() == ["reconnect", "> hello again", "welcomed", "credit"])
    }

    @Test func `after a reconnect all nodes are attached again in one message`() throws {
        var conversation = try Conversation.attached(a)
        conversation.attach([b], request: 2)
        try conversation.hear(
            Attached(request: 2, nodes: [Attached.Node(path: "/b", number: 2)]))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> attach /a /b"])
        #expect(conversation.session.canRaise == false)
        try conversation.hear(.reattached(a, b))
        #expect(conversation.next() == ["credit"])
    }

    @Test func `a node that was taken over is not attached again after a reconnect`() throws {
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(.takenOver("/a", node: 1))
        #expect(conversation.next() == ["detached /a takenOver"])
        #expect(conversation.session.number(of: "/a") == nil)
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next().last == "> attach /b")
    }

    @Test func `a refusal of the attach after a reconnect is reported to the worker`() throws {
        var conversation = try Conversation.attached(a)
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(Refused(request: .max, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["refused \(UInt64.max) pathTaken"])
    }

    @Test func `an unanswered request is sent again after the nodes are attached`() throws {
        var conversation = try Conversation.attached(a)
        conversation.send(Query(request: 2, .bus))
        conversation.send(Query(request: 3, .bus))
        try conversation.hear(Header(.answer, id: 2))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> attach /a", "> query 3"])
    }

    @Test func `an answered repeating query is sent again on each connection`() throws {
        var conversation = try Conversation.welcomed()
        conversation.send(Query(request: 1, .bus, isRepeating: true))
        try conversation.hear(Header(.answer, id: 1))
        try conversation.hear(Header(.answer, id: 1))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> query 1", "credit"])
    }

    @Test func `the worker is told the number of a request that is done`() throws {
        var conversation = try Conversation.attached(a)
        conversation.send(Leave(request: 2))
        try conversation.hear(Header(.done, id: 2))
        #expect(conversation.next() == ["> leave 2", "done 2"])
    }

    @Test func `ending a repeating query sends it once more, and never on later connections`()
        throws
    {
        var conversation = try Conversation.welcomed()
        conversation.send(Query(request: 1, .bus, isRepeating: true))
        _ = conversation.next()
        conversation.endRepeatingQuery(1)
        conversation.endRepeatingQuery(1)
        conversation.endRepeatingQuery(2)
        #expect(conversation.next() == ["> query 1"])
        conversation.disconnect()
        try conversation.welcome()
        #expect(!conversation.next().contains("> query 1"))
    }

    @Test func `a repeating query that ends without a connection is not sent again`() throws {
        var conversation = try Conversation.welcomed()
        conversation.send(Query(request: 1, .bus, isRepeating: true))
        conversation.disconnect()
        _ = conversation.next()
        conversation.endRepeatingQuery(1)
        #expect(conversation.next().isEmpty)
        try conversation.welcome()
        #expect(!conversation.next().contains("> query 1"))
    }
}
