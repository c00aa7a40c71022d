// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeTestSupport
import CascadeWire
import Testing

/// The secret and the activation ranks that a session brings to its next connection.
@Suite struct ActivationTests {
    private static let first = Activation(rank: 5, isActive: true)

    private static func attached(_ activation: Activation?) throws -> Conversation {
        var conversation = try Conversation.welcomed()
        conversation.attach([NodeDeclaration(path: "/a")], request: 1)
        try conversation.hear(
            Attached(request: 1, nodes: [.init(path: "/a", number: 1, activation: activation)]))
        return conversation
    }

    private static func brought(_ conversation: inout Conversation) throws -> [Activation?] {
        conversation.disconnect()
        try conversation.welcome()
        let attach = conversation.lastAttach
        return try #require(attach).nodes.map(\.activation)
    }

    @Test func `a node that has never been attached brings no rank`() throws {
        var conversation = try Conversation.welcomed()
        conversation.attach([NodeDeclaration(path: "/a")], request: 1)
        #expect(conversation.lastAttach?.nodes.map(\.activation) == [nil])
        // The connection breaks before the answer: it is still the first time.
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.lastAttach?.nodes.map(\.activation) == [nil])
    }

    @Test func `a node brings the rank that the daemon assigned at its attach`() throws {
        var conversation = try Self.attached(Self.first)
        #expect(try Self.brought(&conversation) == [Self.first])
    }

    @Test func `a node brings the latest rank that the daemon assigned`() throws {
        var conversation = try Self.attached(Self.first)
        let last = Activation(rank: 9, isActive: false)
        try conversation.define(.node(number: 1, "/a", last))
        // A definition without an activation leaves the rank as it is.
        try conversation.define(.node(number: 1, "/a"))
        #expect(try Self.brought(&conversation) == [last])
    }

    @Test func `a node that was moved brings its rank to its new path`() throws {
        var conversation = try Self.attached(Self.first)
        try conversation.hear(Moved(node: 1, path: "/b/a"))
        #expect(try Self.brought(&conversation) == [Self.first])
        #expect(conversation.lastAttach?.nodes.map(\.path) == ["/b/a"])
    }

    @Test func `a node brings no rank if the daemon assigned none`() throws {
        var conversation = try Self.attached(nil)
        #expect(try Self.brought(&conversation) == [nil])
    }

    @Test func `each greeting has the secret and the ID derived from it`() throws {
        var generator = SeededGenerator(seed: 1)
        let secret = SessionSecret(using: &generator)
        var session = Session(secret: secret, program: "test", processID: 7)
        var effects: [SessionEffect] = []
        for _ in 0..<2 {
            effects = []
            session.connected(into: &effects)
            guard case .sendMessage(let message)? = effects.first else {
                Issue.record("there is no greeting")
                return
            }
            let hello = try Hello(parsing: message)
            #expect(hello.secret == secret)
            #expect(hello.session == secret.sessionID && session.id == secret.sessionID)
            session.disconnected(into: &effects)
        }
    }

    // Any peer may claim a session's ID while the daemon does not know the session.
    @Test func `a verdict for a session that only claimed an ID is not repeated to its owner`()
        throws
    {
        let id = SessionID(high: 3, low: 3)
        var conversation = try Conversation.attached(NodeDeclaration(path: "/a"))
        try conversation.define(
            .session(number: 1, SessionIdentity(id, isProven: false)),
            .session(number: 2, SessionIdentity(id, isProven: true)))
        let event = { (delivery: UInt64, session: UInt32) in
            Header(
                .visit, flags: .sentAgain, node: 1, name: 1, id: delivery, sequence: 7,
                session: session)
        }
        try conversation.hear(event(1, 1))
        conversation.finish()
        _ = conversation.next()
        try conversation.hear(event(2, 2))
        #expect(conversation.next() == ["> accept 2", "run 1.0"])
        conversation.finish()
        _ = conversation.next()
        // The owner's own event is answered from the recorded verdict.
        try conversation.hear(event(3, 2))
        #expect(conversation.running.isEmpty)
    }
}
