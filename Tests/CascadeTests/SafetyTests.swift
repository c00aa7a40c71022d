// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Declarations of what a subtree triggers and reports.
@Suite(.timeLimit(.minutes(1))) struct SafetyTests {
    @Test func `a node's declarations are part of the tree`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("feed")
                .triggers(ItemSelected.self, PriceOf.self)
                .triggers(PriceChanged.self)
                .reports(OutOfStock.self)
                .safetyLevel(.strict)
                .requireExplicitResponders(false)
            Node("bare").triggers()
        }
        try await bus.run { bus in
            let feed = try #require(await bus.snapshot(of: "/feed"))
            #expect(
                feed.triggers?.map(\.description) == ["ItemSelected", "PriceOf", "PriceChanged"])
            #expect(feed.reports?.map(\.description) == ["OutOfStock"])
            let bare = try #require(await bus.snapshot(of: "/bare"))
            #expect(bare.triggers == [])
            #expect(bare.reports == nil)
        }
    }

    @Test func `strict safety rejects undeclared events and passes declared ones`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("app") {
                Node("feed").triggers(ItemSelected.self).safetyLevel(.strict)
            }
            .handle { _ in }
        }
        try await bus.run { bus in
            let declared = try await bus.trigger(ItemSelected(), from: "/app/feed").outcome
            #expect(declared == .handled(by: "/app"))
            let undeclared = try await bus.trigger(PriceChanged(), from: "/app/feed").outcome
            guard case .rejected(let failure) = undeclared else {
                Issue.record("\(undeclared)")
                return
            }
            #expect(failure.node == "/app/feed")
        }
    }
}
