// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Modifiers on types that describe nodes, and closures without an argument.
@Suite(.timeLimit(.minutes(1))) struct ModifierTests {
    private let journal = Journal()

    private struct Clerk: NodeConvertible {
        @Environment(\.copies) var copies
        let journal: Journal

        var node: Node {
            Node("clerk").observe(ItemSelected.self) { await journal.note("clerk \(copies)") }
        }
    }

    private struct Closed: ReportableError {}

    private struct Shop: NodeConvertible {
        @Environment(\.greeting) var greeting
        let journal: Journal

        var node: Node {
            Node("shop") {
                Clerk(journal: journal).handle(ItemSelected.self) {
                    await journal.note(greeting)
                }
            }
        }
    }

    @Test func `a modified type reads its properties at its first event`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Clerk(journal: journal).concurrency(2).handle(ItemSelected.self) {}
            }
            .environment(\.copies, 2)
        }
        let outcome = try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/shop/clerk").outcome
        }
        #expect(outcome == .handled(by: "/shop/clerk"))
        #expect(await journal.entries == ["clerk 2"])
    }

    @Test func `a modifier's code reads the properties of the type that wrote it`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("town") { Shop(journal: journal) }
                .environment(\.greeting, "ahoy").environment(\.copies, 3)
        }
        _ = try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/town/shop/clerk").outcome
        }
        #expect(await journal.entries == ["clerk 3", "ahoy"])
    }

    @Test func `closures without an argument respond as those with one`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("event")
                    .observe(ItemSelected.self) { await journal.note("observed") }
                    .receive(ItemSelected.self) { .notHandled }
                    .transform(ItemSelected.self) { PriceChanged(price: 1) }
                Node("error")
                    .receiveError(OutOfStock.self) { .notHandled }
                    .transformError(OutOfStock.self) { Closed() }
                    .catchError(Closed.self) { PriceChanged(price: 2) }
                Node("handled").handleError(OutOfStock.self) { await journal.note("handled") }
                Node("reply").respond(to: PriceOf.self) { 12 }
                Node("action").cascadingAction(ItemSelected.self) { await journal.note("acted") }
                Node("subscriber").subscribe(to: PriceChanged.self) {
                    await journal.note("subscribed")
                }
            }
            .handle(PriceChanged.self) { await journal.note("price \($0.price)") }
        }
        try await bus.run { bus in
            let shop = Outcome.handled(by: "/shop")
            #expect(try await bus.trigger(ItemSelected(), from: "/shop/event").outcome == shop)
            #expect(try await bus.report(OutOfStock(item: 7), from: "/shop/error").outcome == shop)
            #expect(
                try await bus.report(OutOfStock(item: 7), from: "/shop/handled").outcome
                    == .handled(by: "/shop/handled"))
            #expect(try await bus.request(PriceOf(item: 1), from: "/shop/reply") == 12)
            _ = try await bus.cascade(ItemSelected(), from: "/shop/action").outcome
            try await bus.publish(PriceChanged(price: 3))
        }
        #expect(
            await journal.entries == [
                "observed", "price 1", "price 2", "handled", "acted", "subscribed",
            ])
    }

    @Test func `an event name can be a string literal`() throws {
        let name: EventName = "ItemSelected"
        #expect(name.description == "ItemSelected")
        #expect(EventName.nodeLost.description == "cascade.NodeLost")
    }
}
