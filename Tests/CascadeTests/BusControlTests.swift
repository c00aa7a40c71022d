// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The environment value for controlling the bus from a node's code.
@Suite(.timeLimit(.minutes(1))) struct BusControlTests {
    @Environment(\.bus) private var bus

    @Test func `a node's code can deactivate another node`() async throws {
        let loopback = LoopbackBus {
            Node("admin").handle(ItemSelected.self) { _ in try await bus.deactivate("/board") }
            Node("board").subscribe(to: PriceChanged.self) { _ in }
        }
        try await loopback.run { loopback in
            _ = try await loopback.trigger(ItemSelected(), from: "/admin").outcome
            let outcome = try await loopback.publish(PriceChanged())
            #expect(outcome == .noSubscriber)
        }
    }

    @Test func `a refused command throws an error with the reason`() async throws {
        try await LoopbackBus { Node("a") }.run { loopback in
            await #expect { try await loopback.control.detach("/b") } throws: { error in
                (error as? CascadeError)?.reason == .noSuchNode
            }
        }
    }

    @Test func `undelivered events, findings, traces and routes are returned as documents`()
        async throws
    {
        let loopback = LoopbackBus { Node("shop").triggers(PriceChanged.self).handleError { _ in } }
        try await loopback.run { loopback in
            let raised = try await loopback.trigger(ItemSelected(), from: "/shop")
            _ = try await raised.outcome
            let control = try await loopback.control
            #expect(try await control.undelivered().contains("ItemSelected"))
            #expect(try await control.check().contains("PriceChanged"))
            #expect(try await control.trace(raised.id).contains("\(raised.id)"))
            let route = try await control.route(.error, of: OutOfStock(), from: "/shop")
            #expect(route.contains("handleError"))
        }
    }

    @Test func `the bus cannot be controlled outside a node's code`() async throws {
        await #expect(throws: CascadeError.self) { _ = try await bus.check() }
    }
}
