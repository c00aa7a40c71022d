// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct EnvironmentTests {
    /// A node that triggers an event of the same name for each event it handles.
    private struct Counter: NodeConvertible {
        @Environment(\.triggerEvent) var triggerEvent
        let journal: Journal

        var node: Node {
            Node("counter").handle(ItemSelected.self) { event in
                await journal.note("counter \(event.item)")
                let raised = try await triggerEvent(ItemSelected(item: event.item + 1))
                await journal.note("\(try await raised.outcome)")
            }
        }
    }

    /// A node that triggers an event for each publication it receives.
    private struct Sender: NodeConvertible {
        @Environment(\.triggerEvent) var triggerEvent
        @Environment(\.visit) var visit
        var includingSelf = false
        var attributes: [String: String] = [:]
        let journal: Journal

        var node: Node {
            Node("sender").subscribe(to: PriceChanged.self) { change in
                let raised = try await triggerEvent(
                    ItemSelected(item: change.price), includingSelf: includingSelf,
                    attributes: attributes)
                await journal.note("\(try await raised.outcome)")
            }
            .observe(ItemSelected.self) { _ in
                await journal.note("sender visited")
            }
        }
    }

    @Test func `an event triggered by its own responder starts at the node's parent`() async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Counter(journal: journal)
            }
            .handle(ItemSelected.self) { await journal.note("shop \($0.item)") }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(item: 1), from: "/shop/counter")
                .outcome
            #expect(outcome == .handled(by: "/shop/counter"))
        }
        #expect(
            await journal.entries == [
                "counter 1", "shop 2", "\(Outcome.handled(by: "/shop"))",
            ])
    }

    @Test(arguments: [false, true]
    )
    func `an event starts at its node's parent, or at the node itself on request`(
        includingSelf: Bool
    ) async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                // The node is still handling the publication when the event visits it.
                Sender(includingSelf: includingSelf, journal: journal).node.concurrency(2)
            }
            .handle(ItemSelected.self) { await journal.note("shop \($0.item)") }
        }
        try await bus.run { bus in
            try await bus.publish(PriceChanged(price: 4))
        }
        let visited = includingSelf ? ["sender visited"] : []
        #expect(
            await journal.entries == visited + ["shop 4", "\(Outcome.handled(by: "/shop"))"])
    }

    @Test func `a responder reads the ID, name, origin and attributes of its event`() async throws {
        @Environment(\.visit) var visit
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Sender(attributes: ["till": "2"], journal: Journal())
            }
            .handle(ItemSelected.self) { _ in
                await journal.note("\(visit?.name.description ?? "") \(visit?.attributes ?? [:])")
                await journal.note("\(visit?.origin ?? .root)")
            }
            .handle(PriceChanged.self) { _ in await journal.note("\(visit?.id.description ?? "")") }
        }
        try await bus.run { bus in
            try await bus.publish(PriceChanged(price: 4))
            let raised = try await bus.trigger(PriceChanged(), from: "/shop")
            _ = try await raised.outcome
            #expect(
                await journal.entries == [
                    #"ItemSelected ["till": "2"]"#, "/shop/sender", "\(raised.id)",
                ])
        }
    }

    @Test func `a subscription reads the origin of its publication`() async throws {
        @Environment(\.visit) var visit
        @Environment(\.publisher) var publisher
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").subscribe(to: PriceChanged.self) { _ in
                    await journal.note("\(visit?.origin ?? .root)")
                }
            }
            .handle(ItemSelected.self) { _ in
                try await publisher(for: PriceChanged.self)(PriceChanged())
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop").outcome
        }
        #expect(await journal.entries == ["/shop"])
    }

    @Test func `triggering and publishing throw outside a node's code`() async throws {
        @Environment(\.triggerEvent) var triggerEvent
        @Environment(\.publisher) var publisher
        await #expect { try await triggerEvent(ItemSelected()) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await triggerEvent.emit(ItemSelected()) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await publisher(for: PriceChanged.self)(PriceChanged()) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
    }

    @Test func `a malformed event name throws at the sender`() async throws {
        struct Bad: Event {
            static let name = "no name"
        }
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            await #expect { try await bus.trigger(Bad(), from: "/shop") } throws: {
                ($0 as? CascadeError)?.code == .badName
            }
        }
    }
}
