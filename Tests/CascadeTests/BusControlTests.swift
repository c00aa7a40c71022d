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
            #expect(try await control.undelivered().undelivered.map(\.name) == ["ItemSelected"])
            let findings = try await control.check().findings
            #expect(findings.map(\.name) == ["PriceChanged", "ItemSelected"])
            #expect(findings.map(\.kind) == ["unhandled", "undeclared"])
            let trace = try await control.trace(raised.id)
            #expect(trace.outcome?.known == .unhandled && trace.origin == "/shop")
            let route = try await control.route(.error, of: OutOfStock(), from: "/shop")
            #expect(route.responders.map(\.kind) == ["handleError"])
        }
    }

    @Test func `the tree and the status of a node are documents`() async throws {
        let loopback = LoopbackBus {
            Node("shop") { Node("till").handle(ItemSelected.self) { _ in } }
        }
        try await loopback.run { loopback in
            _ = try await loopback.trigger(ItemSelected(), from: "/shop/till").outcome
            let control = try await loopback.control
            let tree = try await control.tree(at: "/shop")
            #expect(tree.bus == (try await control.status().bus))
            #expect(tree.nodes.map(\.path) == ["/shop", "/shop/till"])
            #expect(tree["/shop/till"]?.responders.map(\.name) == ["ItemSelected"])
            #expect(try await control.tree(at: "/shop", depth: 0).nodes.count == 1)

            let till = try await control.status(of: "/shop/till").node
            #expect(till.parent == "/shop" && till.counters?["visits"] == 1)
            #expect(till.outcomes?.map(\.outcome) == ["handled"])
            let error = await #expect(throws: CascadeError.self) {
                try await control.status(of: "/nowhere")
            }
            #expect(error?.reason == .noSuchNode)
        }
    }

    @Test func `a dump contains the state of the bus`() async throws {
        let loopback = LoopbackBus {
            Node("shop").triggers(PriceChanged.self).subscribe(to: PriceChanged.self) { _ in }
        }
        try await loopback.run { loopback in
            _ = try await loopback.trigger(ItemSelected(), from: "/shop").outcome
            let dump = try await loopback.control.dump()
            #expect(dump.tree.nodes.map(\.path) == ["/", "/shop"])
            #expect(dump.subscribers["PriceChanged"]?.last == ["/shop"])
            #expect(dump.undelivered.undelivered.map(\.name) == ["ItemSelected"])
            #expect(dump.check.findings.map(\.kind) == ["unhandled", "undeclared"])
            #expect(try DumpDocument(jsonText: dump.jsonText) == dump)
        }
    }

    @Test func `an undelivered message is raised again`() async throws {
        try await LoopbackBus { Node("shop") }.run { loopback in
            let raised = try await loopback.trigger(ItemSelected(), from: "/shop")
            _ = try await raised.outcome
            let control = try await loopback.control
            let outcome = try await control.retryUndelivered(raised.id)
            #expect(outcome.outcome?.known == .unhandled && outcome.name == "ItemSelected")
            #expect(outcome.id == raised.id)
            let unknown = EventID(session: raised.id.session, sequence: 1_000)
            let error = await #expect(throws: CascadeError.self) {
                try await control.retryUndelivered(unknown)
            }
            #expect(error?.reason == .noSuchEvent)
        }
    }

    @Test func `updates begin with the present answer and follow each change`() async throws {
        try await LoopbackBus { Node("shop") }.run { loopback in
            let control = try await loopback.control
            var updates = try await control.updates(of: .environment(at: "/shop"))
                .makeAsyncIterator()
            #expect(try await updates.next()?["copies"] == nil)
            try await control.set(\.copies, 8, at: "/shop")
            await loopback.advance(by: .milliseconds(100))
            #expect(try await updates.next()?["copies"] == .number("8"))
        }
    }

    @Test func `updates of a node that does not exist throw the bus's reason`() async throws {
        try await LoopbackBus { Node("shop") }.run { loopback in
            var updates = try await loopback.control.updates(of: .tree(at: "/nowhere"))
                .makeAsyncIterator()
            let error = await #expect(throws: CascadeError.self) { try await updates.next() }
            #expect(error?.reason == .noSuchNode)
        }
    }

    @Test func `a monitor returns the bus's events with their payloads`() async throws {
        let loopback = LoopbackBus { Node("shop").handle(ItemSelected.self) { _ in } }
        try await loopback.run { loopback in
            var events = try await loopback.control.monitor(
                names: "Item*", kinds: [.event], payloads: true
            ).makeAsyncIterator()
            let raised = try await loopback.trigger(ItemSelected(), from: "/shop")
            let triggered = try #require(try await events.next())
            #expect(triggered.what == "triggered" && triggered.kind == "event")
            #expect(triggered.id == raised.id && triggered.payload != nil)
            let ended = try #require(try await events.next())
            #expect(ended.outcome?.known == .handled && ended.by == "/shop")
        }
    }

    @Test func `the busiest node is the first`() async throws {
        let loopback = LoopbackBus {
            Node("quiet")
            Node("shop").handle(ItemSelected.self) { _ in }
        }
        try await loopback.run { loopback in
            _ = try await loopback.trigger(ItemSelected(), from: "/shop").outcome
            var top = try await loopback.control.top().makeAsyncIterator()
            let first = try #require(try await top.next())
            #expect(first.nodes.map(\.path) == ["/shop", "/quiet"])
            #expect(first.nodes.map(\.visits) == [1, 0])
        }
    }

    @Test func `the bus cannot be controlled outside a node's code`() async throws {
        let error = await #expect(throws: CascadeError.self) { try await bus.check() }
        #expect(error?.code == .notRunning)
    }
}
