// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// Changes of a declaration, and the work that a node or an origin gives up.
@Suite struct GivingUpTests {
    private static let wide = NodeDeclaration(path: "/a", concurrency: 2)

    private static func change(_ request: UInt64, abandons: Bool) -> Change {
        Change(
            request: request, node: 1,
            declaration: NodeDeclaration(path: "/a", subscriptions: [.ping], concurrency: 4),
            abandons: abandons)
    }

    @Test func `a change that abandons sends no verdict of visits that have begun`() throws {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.visit(5, at: 1)
        try conversation.visit(6, at: 1)
        try conversation.visit(7, at: 1)
        _ = conversation.next()
        conversation.change(Self.change(2, abandons: true))
        #expect(conversation.next() == ["> change 2"])
        conversation.finish()
        #expect(conversation.next() == ["> accept 7", "run 1.0"])
        conversation.finish()
        conversation.finish()
        #expect(conversation.next() == ["> verdict 7 handled"])
    }

    @Test func `a change that does not abandon leaves the visits as they are`() throws {
        var conversation = try Conversation.attached(Self.wide)
        try conversation.visit(5, at: 1)
        conversation.change(Self.change(2, abandons: false))
        _ = conversation.next()
        conversation.finish()
        #expect(conversation.next() == ["> verdict 5 handled"])
    }

    @Test func `a later connection attaches the declaration of a confirmed change`() throws {
        var conversation = try Conversation.attached(Self.wide)
        conversation.change(Self.change(2, abandons: false))
        try conversation.hear(Header(.done, id: 2))
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.lastAttach?.nodes.first?.concurrency == 4)
        #expect(conversation.lastAttach?.nodes.first?.subscriptions == [.ping])
    }

    @Test func `a later connection attaches the former declaration if the change was refused`()
        throws
    {
        var conversation = try Conversation.attached(Self.wide)
        conversation.change(Self.change(2, abandons: false))
        try conversation.hear(Refused(request: 2, code: .limitReached, sentence: ""))
        conversation.disconnect()
        try conversation.welcome()
        #expect(conversation.lastAttach?.nodes.first?.concurrency == 2)
    }

    @Test func `a confirmed change lets as many visits run as it declares`() throws {
        var conversation = try Conversation.attached(Self.wide)
        for id in 5...8 {
            try conversation.visit(UInt64(id), at: 1)
        }
        #expect(conversation.running.count == 2)
        conversation.change(Self.change(2, abandons: false))
        #expect(conversation.running.count == 2)
        try conversation.hear(Header(.done, id: 2))
        #expect(conversation.running.count == 4)
    }

    @Test func `a message that was given up is not sent on another connection`() throws {
        var conversation = try Conversation.attached(Self.wide)
        let first = try conversation.raise()
        let second = try conversation.raise()
        conversation.giveUp(first)
        _ = conversation.next()
        conversation.disconnect()
        #expect(conversation.next() == ["ended \(first) cancelled", "reconnect"])
        try conversation.welcome()
        try conversation.hear(.reattached(Self.wide))
        let sent = conversation.next().filter { $0.hasPrefix("> trigger") }
        #expect(sent.map { $0.hasPrefix("> trigger \(second) ") } == [true])
    }

    @Test func `the outcome of a message that was given up arrives and returns its credit`() throws
    {
        var conversation = try Conversation.attached(Self.wide)
        let sequence = try conversation.raise()
        conversation.giveUp(sequence)
        _ = conversation.next()
        try conversation.hear(.handled(sequence))
        #expect(conversation.next() == ["ended \(sequence)", "credit"])
    }
}
