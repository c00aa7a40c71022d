// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct MessageLimitTests {
    private static let limit: UInt64 = 1_000
    private static let room = Int(limit) - Header.byteCount

    private let a = NodeDeclaration(path: "/a", subscriptions: [.ping], prefetch: 8)
    private let publication = RaiseOptions(.down(.last), from: .node("/a"))

    private static func byteCount(_ raised: RaisedFields) -> Int {
        var fields = FieldWriter()
        raised.write(to: &fields)
        return fields.bytes.count
    }

    @Test func `a message at the limit is raised, and one above it is refused without credit`()
        throws
    {
        var conversation = try Conversation.attached(a, credit: 3, messageBytes: Self.limit)
        #expect(try conversation.raise(payloadBytes: Self.room) == 1)
        #expect(try conversation.raise(.ping, publication, payloadBytes: Self.room) == 2)
        _ = conversation.next()
        let error = try #require(throws: WireError.self) {
            try conversation.raise(payloadBytes: Self.room + 1)
        }
        #expect(error.code == .limitReached)
        #expect(error.description.contains("1001 bytes"))
        #expect(error.description.contains("messageBytes of 1000"))
        #expect(throws: WireError.self) {
            try conversation.raise(.ping, publication, payloadBytes: Self.room + 1)
        }
        #expect(conversation.next().isEmpty && conversation.session.canRaise)
        #expect(try conversation.raise() == 3)
    }

    @Test func `names and attributes count towards the limit`() throws {
        var conversation = try Conversation.attached(a, messageBytes: Self.limit)
        let attributes = [Attribute("paper", "A4")]
        let room = Self.room - Self.byteCount(RaisedFields(name: .pong, attributes: attributes))
        #expect(try conversation.raise(.pong, payloadBytes: room, attributes: attributes) == 1)
        #expect(throws: WireError.self) {
            try conversation.raise(.pong, payloadBytes: room + 1, attributes: attributes)
        }
    }

    @Test func `a replacement above the limit becomes a failure, and one at the limit is sent`()
        throws
    {
        let room = Self.room - Self.byteCount(RaisedFields(name: .pong))
        for excess in 0...1 {
            var conversation = try Conversation.attached(a, messageBytes: Self.limit)
            try conversation.visit(5, at: 1)
            _ = conversation.next()
            let payload = [UInt8](repeating: 0x20, count: room + excess)
            conversation.finish(.replaced(Raising(name: .pong, payload: payload)))
            #expect(
                conversation.next() == [
                    excess == 0 ? "> verdict 5 replaced Pong" : "> verdict 5 failed"
                ])
        }
    }

    @Test func `a failure with a text above the limit is still sent as a failure`() throws {
        var conversation = try Conversation.attached(a, messageBytes: Self.limit)
        try conversation.visit(5, at: 1)
        _ = conversation.next()
        let words = String(repeating: "x", count: 2_000)
        conversation.finish(.failed(Failure(name: .pong, message: words)))
        #expect(conversation.next() == ["> verdict 5 failed"])
    }

    @Test func `a message above the lower limit of a restarted bus ends and is not redelivered`()
        throws
    {
        var conversation = try Conversation.attached(a, credit: 2)
        _ = try conversation.raise(payloadBytes: 2_000)
        _ = try conversation.raise()
        conversation.disconnect()
        try conversation.welcome(credit: 2, messageBytes: Self.limit)
        _ = conversation.next()
        try conversation.hear(.reattached(a))
        #expect(
            conversation.next() == [
                "ended 1 limitReached", "> trigger 2 Ping from node 1", "credit",
            ])
        _ = try conversation.raise()
        #expect(conversation.session.canRaise == false)
    }
}
