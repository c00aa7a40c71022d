// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct PublishingTests {
    /// Subscribers on two levels: the shelves are inside the floor.
    private static func shop(_ journal: Journal) -> LoopbackBus {
        func subscriber(_ name: String, @NodeBuilder content: () -> [Node] = { [] }) -> Node {
            Node(name, content: content)
                .subscribe(to: PriceChanged.self) { await journal.note("\(name) \($0.price)") }
        }
        return LoopbackBus(mount: "/shop") {
            subscriber("floor") {
                subscriber("shelf-1")
                subscriber("shelf-2")
            }
            subscriber("counter")
        }
    }

    @Test(
        arguments: [
            (PublishingDestination.last, ["/shop/floor/shelf-2"]),
            (.lastLevel, ["/shop/floor/shelf-1", "/shop/floor/shelf-2"]),
            (.firstLevel, ["/shop/floor", "/shop/counter"]),
            (.all, ["/shop/floor", "/shop/floor/shelf-1", "/shop/floor/shelf-2", "/shop/counter"]),
        ] as [(PublishingDestination, [NodePath])]
    )
    func `the destination selects the recipients among the subscribers`(
        destination: PublishingDestination, recipients: [NodePath]
    ) async throws {
        let journal = Journal()
        try await Self.shop(journal).run { bus in
            let outcome = try await bus.publish(PriceChanged(), to: destination)
            #expect(outcome == .delivered(recipients))
            let names = recipients.map { "\($0.name) 3" }
            #expect(await journal.entries.sorted() == names.sorted())
        }
    }

    @Test func `only subscribers at and below the publisher receive a publication`() async throws {
        try await Self.shop(Journal()).run { bus in
            let shelf: NodePath = "/shop/floor/shelf-1"
            let outcome = try await bus.publish(PriceChanged(), to: .all, at: shelf)
            #expect(outcome == .delivered([shelf]))
        }
    }

    @Test func `a publication without subscribers has the outcome noSubscriber`() async throws {
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            let outcome = try await bus.publish(PriceChanged())
            #expect(outcome == .noSubscriber)
        }
    }

    @Test func `a node publishes to itself and the nodes below it`() async throws {
        @Environment(\.publisher) var publisher
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").subscribe(to: PriceChanged.self) { _ in await journal.note("shelf") }
            }
            .subscribe(to: PriceChanged.self) { _ in await journal.note("shop") }
            .concurrency(2)
            .handle(ItemSelected.self) { _ in
                let publish = publisher(for: PriceChanged.self, destination: .all)
                let outcome = try await publish(PriceChanged())
                await journal.note("\(outcome == .delivered(["/shop", "/shop/shelf"]))")
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop").outcome
        }
        #expect(await journal.entries.sorted() == ["shelf", "shop", "true"])
    }

    @Test func `an inactive node receives nothing until it is activated, then as the last`()
        async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("a").subscribe(to: PriceChanged.self) { _ in }.active(false)
            Node("b").subscribe(to: PriceChanged.self) { _ in }
        }
        try await bus.run { bus in
            #expect(try await bus.publish(PriceChanged(), to: .all) == .delivered(["/b"]))
            try await bus.activate("/a")
            #expect(try await bus.publish(PriceChanged(), to: .all) == .delivered(["/b", "/a"]))
            #expect(try await bus.publish(PriceChanged()) == .delivered(["/a"]))
            try await bus.deactivate("/a")
            try await bus.deactivate("/b")
            #expect(try await bus.publish(PriceChanged(), to: .all) == .noSubscriber)
        }
    }

    @Test func `nodes below an inactive node receive nothing`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").subscribe(to: PriceChanged.self) { _ in }
            }
            .active(false)
        }
        try await bus.run { bus in
            let outcome = try await bus.publish(PriceChanged())
            #expect(outcome == .noSubscriber)
        }
    }

    @Test func `a publication fails at a recipient that throws and goes to no other`() async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("a").subscribe(to: PriceChanged.self) { _ in Issue.record("b is the last") }
            Node("b").subscribe(to: PriceChanged.self) { _ in throw SoldOut() }
        }
        try await bus.run { bus in
            guard case .failed(let failure) = try await bus.publish(PriceChanged()) else {
                Issue.record("the publication has not failed")
                return
            }
            #expect(failure.name.description == "SoldOut")
            #expect(failure.node == "/b")
        }
    }

    @Test func `all subscriptions of a node run, also one by name with any payload`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop")
                .subscribe(toName: "PriceChanged") { event in
                    await journal.note(String(decoding: event.payload, as: UTF8.self))
                }
                .subscribe(to: PriceChanged.self) { await journal.note("\($0.price)") }
        }
        try await bus.run { bus in
            let outcome = try await bus.publish(PriceChanged())
            #expect(outcome == .delivered(["/shop"]))
        }
        #expect(await journal.entries == [#"{"price":3}"#, "3"])
    }

    @Test func `a publication whose recipient does not answer times out`() async throws {
        let journal = Journal()
        let gate = Gate()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").subscribe(to: PriceChanged.self) { _ in
                await journal.note("begun")
                try await gate.pass()
            }
        }
        try await bus.run { bus in
            async let outcome = bus.publish(PriceChanged(), deadline: .seconds(5))
            _ = try await journal.entries(1)
            await bus.advance(by: .seconds(5))
            #expect(try await outcome == .timedOut)
            await gate.open()
        }
    }
}
