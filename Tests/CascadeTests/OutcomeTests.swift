// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct OutcomeTests {
    private static func slow(_ journal: Journal, _ gate: Gate) -> Node {
        Node("slow").handle(ItemSelected.self) { _ in
            await journal.note("begun")
            try await gate.pass()
            await journal.note("ended")
        }
    }

    @Test func `an event without a handler is unhandled`() async throws {
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(outcome == .unhandled)
        }
    }

    @Test func `an event at an unknown path is refused`() async throws {
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/nowhere")
            await #expect { try await raised.outcome } throws: {
                ($0 as? CascadeError)?.reason == .noSuchNode
            }
        }
    }

    @Test func `the outcome can be awaited before and after it is known, and repeatedly`()
        async throws
    {
        let (journal, gate) = (Journal(), Gate())
        try await LoopbackBus(mount: .root) { Self.slow(journal, gate) }.run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/slow", tracing: true)
            async let early = raised.outcome
            _ = try await journal.entries(1)
            await gate.open()
            #expect(try await early == .handled(by: "/slow"))
            #expect(try await raised.outcome == .handled(by: "/slow"))
            #expect(try await raised.trail.map(\.path) == ["/slow"])
        }
    }

    @Test func `events of one session have distinct IDs`() async throws {
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            let first = try await bus.trigger(ItemSelected(), from: "/shop")
            let second = try await bus.trigger(ItemSelected(), from: "/shop")
            #expect(first.id != second.id)
            #expect(first.id.session == second.id.session)
        }
    }

    @Test func `with tracing, the trail lists the visits with their verdicts in order`()
        async throws
    {
        let bus = LoopbackBus {
            Node("shop").handle(PriceChanged.self) { _ in }
            LoopbackProcess(mount: "/shop") {
                Node("floor") {
                    Node("shelf").observe { _ in }
                }
                .receive(ItemSelected.self) { _ in .notHandled }
                .transform(ItemSelected.self) { _ in PriceChanged() }
            }
        }
        try await bus.run { bus in
            let raised = try await bus.trigger(
                ItemSelected(), from: "/shop/floor/shelf", tracing: true)
            #expect(
                try await raised.trail.map { "\($0.path) \($0.responder) \($0.name) \($0.verdict)" }
                    == [
                        "/shop/floor/shelf 0 ItemSelected passed",
                        "/shop/floor 0 ItemSelected passed", "/shop/floor 1 ItemSelected replaced",
                        "/shop 0 PriceChanged handled",
                    ])
        }
    }

    @Test func `an event whose node does not answer times out exactly at its deadline`()
        async throws
    {
        let (journal, gate) = (Journal(), Gate())
        try await LoopbackBus(mount: .root) { Self.slow(journal, gate) }.run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/slow", deadline: .seconds(5))
            _ = try await journal.entries(1)
            await bus.advance(by: .milliseconds(4_999))
            #expect(await journal.entries == ["begun"])
            await bus.advance(by: .milliseconds(1))
            #expect(try await raised.outcome == .timedOut(at: "/slow"))
            await gate.open()
            #expect(try await journal.entries(2).last == "ended")
        }
    }

    @Test func `time in a slow node's queue counts towards the deadline`() async throws {
        let (journal, gate) = (Journal(), Gate())
        try await LoopbackBus(mount: .root) { Self.slow(journal, gate) }.run { bus in
            let first = try await bus.trigger(ItemSelected(), from: "/slow", deadline: .seconds(60))
            let second = try await bus.trigger(ItemSelected(), from: "/slow")
            _ = try await journal.entries(1)
            await bus.advance(by: .seconds(30))
            #expect(try await second.outcome == .timedOut(at: "/slow"))
            await gate.open()
            #expect(try await first.outcome == .handled(by: "/slow"))
        }
    }

    // Callers implement their own time limits by cancelling the task.
    @Test func `a cancelled wait for an outcome ends, and the outcome can be awaited again`()
        async throws
    {
        let (journal, gate) = (Journal(), Gate())
        try await LoopbackBus(mount: .root) { Self.slow(journal, gate) }.run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/slow")
            _ = try await journal.entries(1)
            await withThrowingTaskGroup(of: Outcome.self) { group in
                group.addTask { try await raised.outcome }
                group.cancelAll()
                await #expect(throws: CancellationError.self) { try await group.next() }
            }
            await gate.open()
            #expect(try await raised.outcome == .handled(by: "/slow"))
        }
    }

    @Test func `a known outcome can be awaited after the end of the bus, and no wait hangs`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Self.slow(journal, Gate())
            Node("quick").handle(ItemSelected.self) { _ in }
        }
        let (quick, slow) = try await bus.run { bus in
            let quick = try await bus.trigger(ItemSelected(), from: "/quick")
            let slow = try await bus.trigger(ItemSelected(), from: "/slow")
            _ = try await quick.outcome
            _ = try await journal.entries(1)
            try await bus.kill("/slow")
            return (quick, slow)
        }
        #expect(try await quick.outcome == .handled(by: "/quick"))
        _ = try? await slow.outcome  // The wait ends, with an outcome or an error.
    }
}
