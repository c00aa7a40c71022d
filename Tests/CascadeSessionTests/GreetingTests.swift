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
        #expect(!conversation.session.canRaise)
    }

    @Test("A session that has nothing to attach may raise as soon as it is welcome")
    func welcomed() throws {
        var conversation = Conversation()
        try conversation.welcome()
        #expect(conversation.next() == ["> hello", "welcomed", "credit"])
        #expect(conversation.session.canRaise)
    }

    @Test("The greeting says that the session was on the bus before, once it was")
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

    @Test("A beat goes to the worker, and comes back only by its answer")
    func beat() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Header(.beat, id: 5))
        #expect(conversation.next() == ["beat 5"])
    }

    @Test("A violation is told, and ends the connection")
    func violation() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Violation(.malformed, "that was no message"))
        #expect(conversation.next() == ["violated malformed", "reconnect"])
        #expect(conversation.session.state == .disconnected)
        #expect(!conversation.session.canRaise)
    }

    @Test(
        "What only a worker says is no word of a daemon",
        arguments: [
            Command.hello, .attach, .change, .leave, .trigger, .accept, .verdict, .publish, .query,
            .activate,
        ]
    )
    func wrongWay(command: Command) throws {
        var conversation = try Conversation.welcomed()
        #expect(throws: WireError.self) { try conversation.hear(Header(command)) }
    }

    @Test("An absurd amount of credit is as good as a lot")
    func absurdCredit() throws {
        var conversation = try Conversation.welcomed()
        try conversation.hear(Header(.credit, code: .max))
        #expect(conversation.session.canRaise)
    }
}
