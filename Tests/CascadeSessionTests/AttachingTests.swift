// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct AttachingTests {
    private let a = NodeDeclaration(path: "/a")
    private let b = NodeDeclaration(path: "/b")

    @Test("What is to be attached before there is a connection is asked for on the first one")
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

    @Test("Nothing can be raised while nodes are being attached")
    func nothingMeanwhile() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        #expect(!conversation.session.canRaise)
        try conversation.hear(.attached([a], request: 1))
        #expect(conversation.session.canRaise)
    }

    @Test("A refused attach leaves nothing behind")
    func refused() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([a], request: 1)
        try conversation.hear(Refused(request: 1, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["> attach /a", "refused 1 pathTaken", "credit"])
        #expect(conversation.session.canRaise)
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next() == ["reconnect", "> hello again", "welcomed", "credit"])
    }

    @Test("After a reconnect all nodes are attached again, in one piece and unasked")
    func again() throws {
        var conversation = try Conversation.attached(a)
        conversation.attach([b], request: 2)
        try conversation.hear(
            Attached(request: 2, nodes: [Attached.Node(path: "/b", number: 2)]))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> attach /a /b"])
        #expect(!conversation.session.canRaise)
        try conversation.hear(.reattached(a, b))
        #expect(conversation.next() == ["credit"])
    }

    @Test("A node that was taken away does not come back")
    func takenAway() throws {
        var conversation = try Conversation.attached(a, b)
        try conversation.hear(.takenOver("/a", node: 1))
        #expect(conversation.next() == ["detached /a takenOver"])
        #expect(conversation.session.number(of: "/a") == nil)
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.next().last == "> attach /b")
    }

    @Test("If a path is no longer to be had after a reconnect, the worker is told")
    func lostMeanwhile() throws {
        var conversation = try Conversation.attached(a)
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(Refused(request: .max, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["refused \(UInt64.max) pathTaken"])
    }

    @Test("A request that has no answer yet is sent again, behind the nodes")
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

    @Test("A query that is answered on each change is asked again on each connection")
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

    @Test("A request that is done is told by its number")
    func done() throws {
        var conversation = try Conversation.attached(a)
        conversation.send(Leave(request: 2))
        try conversation.hear(Header(.done, id: 2))
        #expect(conversation.next() == ["> leave 2", "done 2"])
    }

    @Test("A repeating query that is ended is asked once more, and never again")
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

    @Test("A repeating query that is ended while there is no connection is nobody's business")
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
