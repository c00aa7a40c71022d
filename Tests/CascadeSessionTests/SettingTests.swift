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

    @Test("A confirmed value is declared again after a reconnect")
    func confirmed() throws {
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

    @Test("A refused value is not declared after a reconnect")
    func refused() throws {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        try conversation.hear(Refused(request: 7, code: .badValue, sentence: ""))
        #expect(conversation.next() == ["> set 7", "refused 7 badValue"])
        conversation.disconnect()
        try conversation.welcome()
        #expect(settings(conversation) == [])
    }

    @Test("An unconfirmed value is sent again before messages are raised again")
    func pending() throws {
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

    @Test("A pending value of a moved node is set again, and the old path is refused")
    func movedAndGone() throws {
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

    @Test("A pending value of a session without nodes is refused after a reconnect")
    func allGone() throws {
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

    @Test("A value over the limit for messages is refused without being sent")
    func tooLong() throws {
        var conversation = try Conversation.attached(a, messageBytes: 100)
        conversation.set(
            assignments(String(repeating: "1", count: 100)), at: "/a", request: 7)
        #expect(conversation.next() == ["refused 7 limitReached"])
    }

    @Test("The worker is told of an environment change with the node's path")
    func told() throws {
        var conversation = try Conversation.attached(a)
        try conversation.hear(
            EnvironmentChanges(node: 1, [EnvironmentChange(copies, old: nil, new: "3")]))
        #expect(conversation.next() == ["environment /a copies=3"])
    }
}
