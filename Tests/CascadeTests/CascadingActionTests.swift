// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct CascadingActionTests {
    private struct CheckoutCompleted: Event {
        var total = 12
    }

    @Test func `a cascade runs each ancestor's action, nearest first, and none stops it`()
        async throws
    {
        @Environment(\.cascade) var cascade
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("floor") {
                    Node("till").task {
                        let outcome = try await cascade(CheckoutCompleted()).outcome
                        await journal.note("\(outcome)")
                    }
                    .cascadingAction(CheckoutCompleted.self) { _ in await journal.note("till") }
                }
                .handle(CheckoutCompleted.self) { await journal.note("floor \($0.total)") }
            }
            .cascadingAction(CheckoutCompleted.self) { _ in await journal.note("shop") }
            .observe { await journal.note("shop, too: \($0.name)") }
        }
        try await bus.run { _ in
            let outcome = CascadeOutcome.cascaded(through: ["/shop/floor", "/shop"], failures: [])
            let entries = try await journal.entries(4)
            #expect(
                entries == [
                    "floor 12", "shop", "shop, too: CheckoutCompleted", "\(outcome)",
                ])
        }
    }

    @Test func `a failing action does not stop the cascade, and the outcome lists it`() async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("till").cascadingAction(CheckoutCompleted.self) { _ in throw SoldOut() }
            }
            .cascadingAction(CheckoutCompleted.self) { _ in await journal.note("shop") }
        }
        try await bus.run { bus in
            let outcome = try await bus.cascade(CheckoutCompleted(), from: "/shop/till").outcome
            guard case .cascaded(let paths, let failures) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(paths == ["/shop"])
            #expect(failures.map(\.path) == ["/shop/till"])
            #expect(failures.map(\.message) == ["\(SoldOut())"])
        }
        #expect(await journal.entries == ["shop"])
    }

    @Test func `the outcome tells the loss of a node from an error of its action`() async throws {
        let journal = Journal()
        try await LoopbackBus { Node("shop") }.run { bus in
            let till = try await bus.attach(mount: "/shop") {
                Node("till").cascadingAction(CheckoutCompleted.self) { _ in
                    await journal.note("begun")
                    try await Gate().pass()
                }
            }
            let cascade = try await bus.cascade(CheckoutCompleted(), from: "/shop/till")
            _ = try await journal.entries(1)
            await till.kill()
            guard case .cascaded([], let failures) = try await cascade.outcome else {
                Issue.record("the cascade has another outcome")
                return
            }
            #expect(
                failures.map(\.message) == ["the node was lost after it had accepted the event"])
        }
    }

    @Test func `a cascade without actions succeeds`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop").transform { _ in ItemSelected() }
        }
        try await bus.run { bus in
            let outcome = try await bus.cascade(CheckoutCompleted(), from: "/shop").outcome
            #expect(outcome == .cascaded(through: [], failures: []))
        }
    }

    @Test func `an event does not run a cascading action`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").cascadingAction(ItemSelected.self) { _ in await journal.note("ran") }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(outcome == .unhandled)
        }
        #expect(await journal.entries.isEmpty)
    }
}
