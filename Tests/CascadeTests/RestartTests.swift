// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The daemon restarts without its sessions.
@Suite(.timeLimit(.minutes(1))) struct RestartTests {
    @Test func `nodes attach again after a restart`() async throws {
        let bus = LoopbackBus {
            Node("shop").handle(ItemSelected.self) { _ in }
            Node("bank")
        }
        try await bus.run { bus in
            await bus.restart()
            #expect(try await bus.nodes == ["/shop", "/bank"])
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(outcome == .handled(by: "/shop"))
        }
    }

    @Test func `an event without an outcome is redelivered and handled once`() async throws {
        @Environment(\.visit) var visit
        let (journal, gate) = (Journal(), Gate())
        let bus = LoopbackBus {
            Node("shop").handle(ItemSelected.self) { _ in
                await journal.note("\(visit?.id.description ?? "")")
                try await gate.pass()
            }
        }
        try await bus.run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/shop")
            _ = try await journal.entries(1)
            await bus.restart()
            await gate.open()
            #expect(try await raised.outcome == .handled(by: "/shop"))
            #expect(await journal.entries == ["\(raised.id)"])
        }
    }

    @Test func `a process that leaves during a restart ends`() async throws {
        let (journal, gate) = (Journal(), Gate())
        let bus = LoopbackBus {
            Node("shop").handle(ItemSelected.self) { _ in
                await journal.note("begun")
                try await gate.pass()
            }
        }
        try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/shop")
            _ = try await journal.entries(1)
            let shop = try await bus.process(at: "/shop")
            async let left: Void = shop.leave()
            await bus.advance(by: .zero)
            await bus.restart()
            try await left
            #expect(await journal.entries == ["begun"])
            #expect(try await bus.nodes.isEmpty)
        }
    }

    @Test func `an event without a handler is unhandled two seconds after a restart`() async throws
    {
        try await LoopbackBus { Node("shop") }.run { bus in
            await bus.restart()
            let early = try await bus.trigger(ItemSelected(), from: "/shop")
            try await bus.attach(mount: "/") { Node("bank") }
            let journal = Journal()
            async let outcome = {
                let outcome = try await early.outcome
                await journal.note("ended")
                return outcome
            }()
            await bus.advance(by: .milliseconds(1_999))
            #expect(await journal.entries.isEmpty)
            await bus.advance(by: .milliseconds(1))
            #expect(try await outcome == .unhandled)
        }
    }
}
