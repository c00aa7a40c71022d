// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The outcomes of events and publications whose process is killed.
@Suite(.timeLimit(.minutes(1))) struct LossTests {
    /// A bus with the node `/shop` and a process below it that never answers.
    private static func bus(_ journal: Journal) -> LoopbackBus {
        LoopbackBus {
            Node("shop").handle(ItemSelected.self) { _ in await journal.note("shop") }
            LoopbackProcess(mount: "/shop") {
                Node("stuck").handle(ItemSelected.self) { event in
                    await journal.note("stuck \(event.item)")
                    try await Gate().pass()
                }
            }
        }
    }

    @Test func `an event fails at a node that was killed after accepting it`() async throws {
        let journal = Journal()
        try await Self.bus(journal).run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/shop/stuck")
            _ = try await journal.entries(1)
            try await bus.kill("/shop/stuck")
            guard case .failed(let failure) = try await raised.outcome else {
                Issue.record("the event has not failed")
                return
            }
            #expect(failure.name.description == "nodeLost")
            #expect(failure.node == "/shop/stuck")
            #expect(await journal.entries == ["stuck 7"])
        }
    }

    @Test func `an event that passes on loss continues above a killed node`() async throws {
        let journal = Journal()
        try await Self.bus(journal).run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/shop/stuck", onLoss: .pass)
            _ = try await journal.entries(1)
            try await bus.kill("/shop/stuck")
            #expect(try await raised.outcome == .handled(by: "/shop"))
        }
    }

    @Test func `a node that was killed before accepting an event is skipped`() async throws {
        let journal = Journal()
        try await Self.bus(journal).run { bus in
            _ = try await bus.trigger(ItemSelected(item: 1), from: "/shop/stuck")
            let second = try await bus.trigger(ItemSelected(item: 2), from: "/shop/stuck")
            _ = try await journal.entries(1)
            try await bus.kill("/shop/stuck")
            #expect(try await second.outcome == .handled(by: "/shop"))
            #expect(await journal.entries == ["stuck 1", "shop"])
        }
    }

    @Test func `a killed node's place is vacant for its grace time, and events skip it`()
        async throws
    {
        let journal = Journal()
        try await Self.bus(journal).run { bus in
            try await bus.kill("/shop/stuck")
            #expect(try await bus.nodes == ["/shop"])
            let passing = try await bus.trigger(ItemSelected(), from: "/shop/stuck")
            #expect(try await passing.outcome == .handled(by: "/shop"))
            await bus.advance(by: .seconds(10))
            let late = try await bus.trigger(ItemSelected(), from: "/shop/stuck")
            await #expect { try await late.outcome } throws: {
                ($0 as? CascadeError)?.reason == .noSuchNode
            }
        }
    }

    @Test func `a restarted process attaches at its former path`() async throws {
        try await Self.bus(Journal()).run { bus in
            try await bus.kill("/shop/stuck")
            try await bus.attach(mount: "/shop") {
                Node("stuck").handle(ItemSelected.self) { _ in }
            }
            let raised = try await bus.trigger(ItemSelected(), from: "/shop/stuck")
            #expect(try await raised.outcome == .handled(by: "/shop/stuck"))
        }
    }

    @Test func `the code of a killed process is cancelled and cannot trigger events`() async throws
    {
        @Environment(\.triggerEvent) var triggerEvent
        let journal = Journal()
        let bus = LoopbackBus {
            Node("shop").handle(PriceChanged.self) { _ in Issue.record("a killed node triggers") }
            LoopbackProcess(mount: "/shop") {
                Node("shelf").task {
                    await journal.note("begun")
                    try? await Gate().pass()  // The task continues although it is cancelled.
                    do {
                        try await triggerEvent(PriceChanged())
                    } catch {
                        await journal.note("\((error as? CascadeError)?.code == .notRunning)")
                    }
                }
            }
        }
        try await bus.run { bus in
            _ = try await journal.entries(1)
            try await bus.kill("/shop/shelf")
            #expect(try await journal.entries(2) == ["begun", "true"])
        }
    }

    @Test func `a publication that a killed node had not accepted goes to the next recipient`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus {
            Node("a").subscribe(to: PriceChanged.self) { _ in await journal.note("a") }
            Node("b")
                .subscribe(to: PriceChanged.self) { _ in await journal.note("b") }
                .handle(ItemSelected.self) { _ in
                    await journal.note("busy")
                    try await Gate().pass()
                }
        }
        try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/b")
            _ = try await journal.entries(1)
            async let outcome = bus.publish(PriceChanged())
            await bus.advance(by: .zero)
            try await bus.kill("/b")
            #expect(try await outcome == .delivered(["/a"]))
            #expect(await journal.entries == ["busy", "a"])
        }
    }
}
