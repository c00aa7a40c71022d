// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct GreetingTests {
    @Test func `a connection begins with a greeting and nothing else`() {
        var conversation = Conversation()
        conversation.connect()
        #expect(conversation.next() == ["> hello"])
        #expect(conversation.session.state == .greeting)
        #expect(conversation.session.canRaise == false)
    }

    @Test func `a session without nodes may raise as soon as it is welcomed`() throws {
        var conversation = Conversation()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello", "welcomed", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test func `the greeting asks to resume once the session has been welcomed`() throws {
        var conversation = Conversation()
        conversation.connect()
        conversation.disconnect()
        conversation.connect()
        #expect(conversation.next() == ["> hello", "reconnect", "> hello"])
        try conversation.welcome()
        conversation.disconnect()
        _ = conversation.next()
        conversation.connect()
        #expect(conversation.next() == ["> hello again"])
    }

    @Test func `a beat is handed to the worker and is not answered by the session`() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Header(.beat, id: 5))
        #expect(conversation.next() == ["beat 5"])
    }

    @Test func `a violation is reported to the worker and ends the connection`() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Violation(.malformed, "that was no message"))
        #expect(conversation.next() == ["violated malformed", "reconnect"])
        #expect(conversation.session.state == .disconnected)
        #expect(conversation.session.canRaise == false)
    }

    @Test(arguments: [
        Command.hello, .attach, .change, .leave, .trigger, .accept, .verdict, .publish, .query,
        .activate,
    ]
    )
    func `a command that only a worker may send is an error`(command: Command) throws {
        var conversation = try Conversation.welcomed()
        #expect(throws: WireError.self) { try conversation.hear(Header(command)) }
    }

    @Test func `the greatest amount of credit does not overflow`() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Header(.credit, code: .max))
        #expect(conversation.session.canRaise == true)
    }
}
