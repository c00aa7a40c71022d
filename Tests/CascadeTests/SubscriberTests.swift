// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// A publisher's view of its subscribers.
@Suite(.timeLimit(.minutes(1))) struct SubscriberTests {
    @Environment(\.publisher) private var publisher

    private func board(_ name: String) -> Node {
        Node(name).subscribe(to: PriceChanged.self) { _ in }
    }

    @Test func `a publisher of an unsubscribed name is nil`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") { board("a") }.handle(ItemSelected.self) { _ in
                let changes = publisher(for: PriceChanged.self)
                let outcome = try await changes.ifSubscribed()?(PriceChanged())
                #expect(outcome == .delivered(["/shop/a"]))
                let unsubscribed = try await publisher(for: ItemSelected.self).ifSubscribed()
                #expect(unsubscribed == nil)
                #expect(try await changes.hasSubscribers)
                let none = try await publisher(for: ItemSelected.self).hasSubscribers
                #expect(!none)
            }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(outcome == .handled(by: "/shop"))
        }
    }

    @Test func `a publisher observes the recipients of its publications`() async throws {
        try await LoopbackBus { board("a") }.run { bus in
            let publisher = try await bus.publisher(for: PriceChanged.self, destination: .all)
            var subscribers = try await publisher.subscribers.makeAsyncIterator()
            #expect(await subscribers.next() == ["/a"])
            try await bus.attach { board("b") }
            await bus.advance(by: .seconds(1))
            #expect(await subscribers.next() == ["/a", "/b"])
            try await bus.deactivate("/a")
            await bus.advance(by: .seconds(1))
            #expect(await subscribers.next() == ["/b"])
        }
    }
}
