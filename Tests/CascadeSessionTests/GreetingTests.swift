// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

@Suite struct GreetingTests {
    @Test("A connection begins with a greeting and nothing else")
    func first() {
        var conversation = Conversation()
        conversation.connect()
        #expect(conversation.next() == ["> hello"])
        #expect(conversation.session.state == .greeting)
        #expect(conversation.session.canRaise == false)
    }

    @Test("A session without nodes may raise as soon as it is welcomed")
    func welcomed() throws {
        var conversation = Conversation()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello", "welcomed", "credit"])
        #expect(conversation.session.canRaise == true)
    }

    @Test("The greeting asks to resume once the session has been welcomed")
    func resumed() throws {
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

    @Test("A beat is handed to the worker and is not answered by the session")
    func beat() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Header(.beat, id: 5))
        #expect(conversation.next() == ["beat 5"])
    }

    @Test("A violation is reported to the worker and ends the connection")
    func violation() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Violation(.malformed, "that was no message"))
        #expect(conversation.next() == ["violated malformed", "reconnect"])
        #expect(conversation.session.state == .disconnected)
        #expect(conversation.session.canRaise == false)
    }

    @Test(
        "A command that only a worker may send is an error",
        arguments: [
            Command.hello, .attach, .change, .leave, .trigger, .accept, .verdict, .publish, .query,
            .activate,
        ]
    )
    func wrongWay(command: Command) throws {
        var conversation = try Conversation.welcomed()
        #expect(throws: WireError.self) { try conversation.hear(Header(command)) }
    }

    @Test("The greatest amount of credit does not overflow")
    func absurdCredit() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Header(.credit, code: .max))
        #expect(conversation.session.canRaise == true)
    }
}
