// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// A later node may get the number of a detached one. Messages about a number must not be
/// misunderstood while that later node is being attached.
@Suite struct RenumberingTests {
    private let a = NodeDeclaration(path: "/a", prefetch: 1)
    private let b = NodeDeclaration(path: "/b")
    private let c = NodeDeclaration(path: "/c")
    private let assignments: Assignments

    init() throws {
        assignments = Assignments(settings: [EnvironmentSetting(EventName("copies"), "3")])
    }

    private func attached(_ path: NodePath, as number: UInt32) -> Attached {
        Attached(request: 2, nodes: [Attached.Node(path: path, number: number)])
    }

    @Test func `a request about a node waits while other nodes are being attached`() throws {
        var conversation = try Conversation.attached(a)
        conversation.attach([b], request: 2)
        conversation.send(Leave(request: 3, node: 1))
        conversation.set(assignments, at: "/a", request: 4)
        #expect(conversation.next() == ["> attach /b"])
        try conversation.hear(attached("/b", as: 2))
        #expect(
            conversation.next() == ["attached 2", "> set 4", "> leave 3 of 1", "credit"])
    }

    @Test func `a request waits for all pending attaches, and a refusal ends the wait`() throws {
        var conversation = try Conversation.attached(a)
        conversation.attach([b], request: 2)
        conversation.attach([c], request: 3)
        conversation.send(Leave(request: 4, node: 1))
        _ = conversation.next()
        try conversation.hear(attached("/b", as: 2))
        #expect(conversation.next() == ["attached 2", "credit"])
        try conversation.hear(Refused(request: 3, code: .pathTaken, sentence: ""))
        #expect(conversation.next() == ["refused 3 pathTaken", "> leave 4 of 1", "credit"])
    }

    @Test func `a request about a detached node is not sent to a node with its number`() throws {
        var conversation = try Conversation.attached(a)
        conversation.attach([b], request: 2)
        conversation.send(Leave(request: 3, node: 1))
        conversation.set(assignments, at: "/a", request: 4)
        _ = conversation.next()
        try conversation.hear(
            Detached(node: 1, path: "/a", reason: .detached, sentence: ""))
        #expect(
            conversation.next() == ["detached /a detached", "refused 4 noSuchNode", "done 3"])
        try conversation.hear(attached("/b", as: 1))
        #expect(conversation.next() == ["attached 2", "credit"])
    }

    @Test func `credit of a node is returned once the pending attach is done`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1, flags: .unacknowledged)
        conversation.attach([b], request: 2)
        _ = conversation.next()
        conversation.finish()
        #expect(conversation.next().isEmpty)
        try conversation.hear(attached("/b", as: 2))
        #expect(conversation.next() == ["attached 2", "> credit 1 of node 1", "credit"])
    }

    @Test func `credit of a detached node is not returned to a node with its number`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.visit(5, at: 1, flags: .unacknowledged)
        conversation.attach([b], request: 2)
        conversation.finish()
        try conversation.hear(
            Detached(node: 1, path: "/a", reason: .detached, sentence: ""))
        _ = conversation.next()
        try conversation.hear(attached("/b", as: 1))
        #expect(conversation.next() == ["attached 2", "credit"])
    }

    @Test func `a pending attach follows the messages of attached nodes after a reconnect`() throws
    {
        var conversation = try Conversation.attached(a)
        _ = try conversation.raise()
        conversation.send(Query(request: 5, .bus))
        conversation.attach([b], request: 2)
        conversation.send(Leave(request: 3, node: 1))
        conversation.send(Query(request: 4, .bus))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello again", "welcomed", "> attach /a", "> query 5"])
        conversation.send(Query(request: 6, .bus))
        #expect(conversation.next().isEmpty)
        try conversation.hear(.reattached(a))
        #expect(
            conversation.next() == [
                "> trigger 1 Ping from node 1", "> leave 3 of 1", "> attach /b", "> query 4",
                "> query 6", "credit",
            ])
    }
}
