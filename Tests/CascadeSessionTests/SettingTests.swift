// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// What a node sets after it has attached.
@Suite struct SettingTests {
    private let a = NodeDeclaration(path: "/a")
    private let copies: EventName

    init() throws {
        copies = try EventName("copies")
    }

    private func assignments(_ json: String?) -> Assignments {
        Assignments(settings: [EnvironmentSetting(copies, json)])
    }

    private func settings(_ conversation: Conversation) -> [EnvironmentSetting]? {
        conversation.lastAttach?.nodes.first?.assignments.settings
    }

    @Test("What a node has set comes back with it after a reconnect")
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

    @Test("What is refused is not declared")
    func refused() throws {
        var conversation = try Conversation.attached(a)
        conversation.set(assignments("3"), at: "/a", request: 7)
        try conversation.hear(Refused(request: 7, code: .badValue, sentence: ""))
        #expect(conversation.next() == ["> set 7", "refused 7 badValue"])
        conversation.disconnect()
        try conversation.welcome()
        #expect(settings(conversation) == [])
    }

    @Test("What nobody has confirmed is sent again, before anything is raised again")
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

    @Test("A node that was moved meanwhile sets where it is; one that is gone sets nothing")
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

    @Test("A session whose nodes have all gone hears that it has set nothing")
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

    @Test("What exceeds the bus's limit for a message is refused here")
    func tooLong() throws {
        var conversation = try Conversation.attached(a, messageBytes: 100)
        conversation.set(
            assignments(String(repeating: "1", count: 100)), at: "/a", request: 7)
        #expect(conversation.next() == ["refused 7 limitReached"])
    }

    @Test("A change of the environment is told with the node's path")
    func told() throws {
        var conversation = try Conversation.attached(a)
        try conversation.hear(
            EnvironmentChanges(node: 1, [EnvironmentChange(copies, old: nil, new: "3")]))
        #expect(conversation.next() == ["environment /a copies=3"])
    }
}
