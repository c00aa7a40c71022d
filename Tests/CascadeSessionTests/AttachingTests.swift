// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct AttachingTests {
    private let a = NodeDeclaration(path: "/a")
    private let b = NodeDeclaration(path: "/b")

    @Test("Nodes attached before the first connection are requested when the session is welcomed")
    func early() throws {
        var conversation = Conversation()
        conversation.attach([a], request: 1)
        #expect(conversation.next().isEmpty)
        try conversation.welcome()
        #expect(conversation.next() == ["> hello", "welcomed", "> attach /a", "credit"])
        try conversation.hear(.attached([a], request: 1))
        #expect(conversation.next() == ["attached 1", "credit"])
        #expect(conversation.session.number(of: "/a") == 1)
    }

    @Test("The session cannot raise while nodes are being attached")
    func nothingMeanwhile() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        #expect(conversation.session.canRaise == false)
        try conversation.hear(.attached([a], request: 1))
        #expect(conversation.session.canRaise == true)
    }

    @Test("A refused node is not attached again after a reconnect")
    func refused() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        try conversation.hear(Refused(request: 1, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["> attach /a", "refused 1 pathTaken", "credit"])
        #expect(conversation.session.canRaise == true)
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next() == ["reconnect", "> hello again", "welcomed", "credit"])
    }

    @Test("After a reconnect all nodes are attached again in one message")
    func again() throws {
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

    @Test("A node that was taken over is not attached again after a reconnect")
    func takenAway() throws {
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(.takenOver("/a", node: 1))
        #expect(conversation.next() == ["detached /a takenOver"])
        #expect(conversation.session.number(of: "/a") == nil)
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next().last == "> attach /b")
    }

    @Test("If a path is taken after a reconnect, the worker is told of the refusal")
    func lostMeanwhile() throws {
        var conversation = try Conversation.attached(a)
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(Refused(request: .max, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["refused \(UInt64.max) pathTaken"])
    }

    @Test("An unanswered request is sent again after the nodes are attached")
    func openRequests() throws {
        var conversation = try Conversation.attached(a)
        conversation.send(Query(request: 2, .bus))
        conversation.send(Query(request: 3, .bus))
        try conversation.hear(Header(.answer, id: 2))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> attach /a", "> query 3"])
    }

    @Test("A repeating query is sent again on each connection, even when it has been answered")
    func repeatingQueries() throws {
        var conversation = try Conversation.welcomed()
        conversation.send(Query(request: 1, .bus, isRepeating: true))
        try conversation.hear(Header(.answer, id: 1))
        try conversation.hear(Header(.answer, id: 1))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> query 1", "credit"])
    }

    @Test("The worker is told the number of a request that is done")
    func done() throws {
        var conversation = try Conversation.attached(a)
        conversation.send(Leave(request: 2))
        try conversation.hear(Header(.done, id: 2))
        #expect(conversation.next() == ["> leave 2", "done 2"])
    }

    @Test("Ending a repeating query sends it once more, and not on later connections")
    func endRepeating() throws {
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

    @Test("A repeating query that ends without a connection is not sent again")
    func endRepeatingUnconnected() throws {
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
