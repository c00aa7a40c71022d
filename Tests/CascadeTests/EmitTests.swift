// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Events and publications without an outcome.
@Suite(.timeLimit(.minutes(1))) struct EmitTests {
    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.publisher) private var publisher

    @Test func `more emitted events than the credit are all handled in order`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").handle(PriceChanged.self) { _ in
                    for item in 1...5000 {
                        try await triggerEvent.emit(ItemSelected(item: item))
                    }
                }
            }
            .handle(ItemSelected.self) { await journal.note("\($0.item)") }
        }
        try await bus.run { bus in
            let raised = try await bus.trigger(PriceChanged(), from: "/shop/shelf")
            #expect(try await raised.outcome == .handled(by: "/shop/shelf"))
            #expect(try await journal.entries(5000) == (1...5000).map(String.init))
        }
    }

    @Test func `an emitted event visits its ancestors like any other event`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("floor") {
                    Node("shelf").task { try await triggerEvent.emit(ItemSelected()) }
                }
                .receive(ItemSelected.self) { _ in
                    await journal.note("floor")
                    return .notHandled
                }
            }
            .handle(ItemSelected.self) { _ in await journal.note("shop") }
        }
        try await bus.run { _ in
            let entries = try await journal.entries(2)
            #expect(entries == ["floor", "shop"])
        }
    }

    @Test func `an emitted publication reaches the subscribers of its destination`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("a").subscribe(to: PriceChanged.self) { _ in await journal.note("a") }
                Node("b").subscribe(to: PriceChanged.self) { _ in await journal.note("b") }
            }
            .handle(ItemSelected.self) { _ in
                try await publisher(for: PriceChanged.self, destination: .all).emit(PriceChanged())
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(try await journal.entries(2).sorted() == ["a", "b"])
        }
    }
}
