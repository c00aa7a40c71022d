// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConditionTests {
    private struct OrderPlaced: Event {
        let amount: Int
        var currency = "EUR"
        var isUrgent = false
    }

    private func handler(
        of order: OrderPlaced, _ condition: Condition, attributes: [String: String] = [:]
    ) async throws -> Outcome {
        let bus = LoopbackBus(mount: .root) {
            Node("shop").handle(OrderPlaced.self, when: condition) { _ in }
        }
        return try await bus.run { bus in
            try await bus.trigger(order, from: "/shop", attributes: attributes).outcome
        }
    }

    @Test func `a responder is asked only where its condition holds`() async throws {
        let large: Condition = "amount > 100"
        #expect(try await handler(of: OrderPlaced(amount: 101), large) == .handled(by: "/shop"))
        #expect(try await handler(of: OrderPlaced(amount: 100), large) == .unhandled)
    }

    @Test func `a condition can be combined from Swift expressions`() async throws {
        let condition =
            EventMember("amount") >= 5 && EventMember("currency") == "EUR"
            && !EventMember("isUrgent").isTrue
        #expect(try await handler(of: OrderPlaced(amount: 5), condition) == .handled(by: "/shop"))
        #expect(
            try await handler(of: OrderPlaced(amount: 5, currency: "\"EUR\""), condition)
                == .unhandled)
        #expect(
            try await handler(of: OrderPlaced(amount: 5, isUrgent: true), condition) == .unhandled)
    }

    @Test func `attributes override members of the payload, and names match patterns`() async throws
    {
        let condition =
            EventMember("amount") == "many"
            || EventMember.name.matches("Order*")
                && EventMember("currency") != "EUR"
        let order = OrderPlaced(amount: 5)
        #expect(try await handler(of: order, condition) == .unhandled)
        let attributed = try await handler(of: order, condition, attributes: ["amount": "many"])
        #expect(attributed == .handled(by: "/shop"))
    }

    @Test func `event, error and request responders take a condition`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop")
                .observe(when: "item == 1") { await journal.note("observe \($0.name)") }
                .handleError(OutOfStock.self, when: "item == 1") { _ in await journal.note("error")
                }
                .respond(to: PriceOf.self, when: "item == 1") { _ in 5 }
        }
        try await bus.run { bus in
            for item in 1...2 {
                _ = try await bus.trigger(ItemSelected(item: item), from: "/shop").outcome
                _ = try await bus.report(OutOfStock(item: item), from: "/shop").outcome
                let price = try? await bus.request(PriceOf(item: item), from: "/shop")
                await journal.note("\(price ?? 0)")
            }
        }
        #expect(
            await journal.entries == [
                "observe ItemSelected", "error", "observe PriceOf", "5", "0",
            ])
    }

    @Test func `a malformed condition is refused when the node attaches`() async throws {
        try await LoopbackBus {}.run { bus in
            await #expect {
                try await bus.attach { Node("shop").handle(when: "amount >") { _ in } }
            } throws: { error in
                let error = error as? CascadeError
                return error?.reason == .badPredicate && error?.exitStatus == 78
            }
        }
    }
}
