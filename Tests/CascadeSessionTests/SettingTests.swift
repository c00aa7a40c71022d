// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// Values that a node sets after it has attached.
@Suite struct SettingTests {
    private let a = NodeDeclaration(path: "/a")
    private let copies: EventName

    init() throws {
        copies = EventName("copies")
    }

    private func assignments(_ json: String?) -> Assignments {
        Assignments(settings: [EnvironmentSetting(copies, json)])
    }

    private func settings(_ conversation: borrowing Conversation) -> [EnvironmentSetting]? {
        conversation.lastAttach?.nodes.first?.assignments.settings
    }

    @Test func `a confirmed value is declared again after a reconnect`() throws {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        #expect(conversation.next() == ["> set 7"])
        try conversation.hear(Header(.done, id: 7))
        #expect(conversation.next() == ["done 7"])
        conversation.disconnect()
        try conversation.welcome()
        #expect(settings(conversation) == [EnvironmentSetting(copies, "3")])
        conversation.set(assignments(nil), at: "/a", request: 8)
        try conversation.hear(.reattached(a))
        try conversation.hear(Header(.done, id: 8))
        conversation.disconnect()
        try conversation.welcome()
        #expect(settings(conversation) == [])
    }

    @Test func `a refused value is not declared after a reconnect`() throws {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        try conversation.hear(Refused(request: 7, code: .badValue, sentence: ""))
        #expect(conversation.next() == ["> set 7", "refused 7 badValue"])
        conversation.disconnect()
        try conversation.welcome()
        #expect(settings(conversation) == [])
    }

    @Test func `an unconfirmed value is sent again before messages are redelivered`() throws {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        _ = try conversation.raise()
        conversation.disconnect()
        conversation.set(assignments("4"), at: "/a", request: 8)
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.reattached(a))
        #expect(
            conversation.next() == ["> set 7", "> set 8", "> trigger 1 Ping from node 1", "credit"])
        try conversation.hear(Header(.done, id: 7))
        try conversation.hear(Header(.done, id: 8))
        #expect(conversation.next() == ["done 7", "done 8"])
    }

    @Test func `a pending value of a moved node is set again, and its old path is refused`() throws
    {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        try conversation.hear(Moved(node: 1, path: "/b"))
        conversation.disconnect()
        try conversation.welcome()
        _ = conversation.next()
        try conversation.hear(.reattached(NodeDeclaration(path: "/b")))
        #expect(conversation.next() == ["> set 7", "credit"])
        conversation.set(assignments("3"), at: "/a", request: 8)
        #expect(conversation.next() == ["refused 8 noSuchNode"])
    }

    @Test func `a pending value of a session without nodes is refused after a reconnect`() throws {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        try conversation.hear(.takenOver("/a", node: 1))
        conversation.disconnect()
        _ = conversation.next()
        try conversation.welcome()
        #expect(
            conversation.next()
                == ["> hello again", "welcomed", "refused 7 noSuchNode", "credit"])
    }

    @Test func `a value above the limit of messages is refused without being sent`() throws {
        var conversation = try Conversation.attached(a, messageBytes: 100)
        conversation.set(
            assignments(String(repeating: "1", count: 100)), at: "/a", request: 7)
        #expect(conversation.next() == ["refused 7 limitReached"])
    }

    @Test func `the worker is told of an environment change with the node's path`() throws {
        var conversation = try Conversation.attached(a)
        try conversation.hear(
            EnvironmentChanges(node: 1, [EnvironmentChange(copies, old: nil, new: "3")]))
        #expect(conversation.next() == ["environment /a copies=3"])
    }
}
