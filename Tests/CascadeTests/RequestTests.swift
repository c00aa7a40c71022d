// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RequestTests {
    @Environment(\.request) private var request

    private func price(
        of item: Int = 7, @NodeBuilder _ nodes: () -> [Node]
    ) async throws -> Int {
        try await LoopbackBus(mount: .root, nodes: nodes).run { bus in
            try await bus.request(PriceOf(item: item), from: "/shop/shelf")
        }
    }

    @Test func `a request is answered by the first responder that does not return nil`()
        async throws
    {
        let shop = Node("shop") {
            Node("shelf").respond(to: PriceOf.self) { $0.item < 5 ? 10 : nil }
        }
        .respond(to: PriceOf.self) { $0.item * 100 }
        #expect(try await price(of: 1) { shop } == 10)
        #expect(try await price(of: 9) { shop } == 900)
    }

    @Test func `a node's request is answered by an ancestor, and the outcome names it`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").task {
                    await journal.note("\(try await request(PriceOf(item: 2)))")
                    if case .answered(_, let node) = try await request.outcome(of: PriceOf()) {
                        await journal.note("\(node)")
                    }
                }
                .respond(to: PriceOf.self) { _ in 1 }
            }
            .respond { try $0.decoded(as: PriceOf.self).item + 1 }
        }
        try await bus.run { _ in
            let entries = try await journal.entries(2)
            #expect(entries == ["3", "/shop"])
        }
    }

    @Test func `a request without an answer fails with unhandled`() async throws {
        await #expect(throws: RequestError.unhandled) {
            try await price {
                Node("shop") { Node("shelf") }
                    .respond(to: PriceOf.self) { _ in nil }
                    .handle { _ in }
            }
        }
    }

    @Test func `a responder's error is thrown to the requester, and ancestors are not asked`()
        async throws
    {
        await #expect {
            try await price(of: 3) {
                Node("shop") {
                    Node("shelf").respond(to: PriceOf.self) { throw OutOfStock(item: $0.item) }
                }
                .respond(to: PriceOf.self) { _ in 1 }
                .handleError { _ in }
            }
        } throws: { error in
            let error = try #require(error as? AnyError)
            let thrown = try error.decoded(as: OutOfStock.self)
            return thrown == OutOfStock(item: 3) && error.node == "/shop/shelf"
                && error.name.description == "OutOfStock"
                && error.message == "item 3 is out of stock"
        }
    }

    @Test func `a responder's error has the attributes of its request`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop").respond(to: PriceOf.self) { throw OutOfStock(item: $0.item) }
        }
        try await bus.run { bus in
            await #expect {
                try await bus.request(PriceOf(), from: "/shop", attributes: ["till": "2"])
            } throws: {
                ($0 as? AnyError)?.attributes == ["till": "2"]
            }
        }
    }

    @Test func `a timed-out request names its responder`() async throws {
        let gate = Gate()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").respond(to: PriceOf.self) { _ in
                try await gate.pass()
                return 1
            }
        }
        try await bus.run { bus in
            async let price = bus.request(PriceOf(), from: "/shop", deadline: .seconds(1))
            await bus.advance(by: .seconds(2))
            do {
                Issue.record("\(try await price)")
            } catch {
                #expect(error as? RequestError == .timedOut(at: "/shop"))
            }
            await gate.open()
        }
    }

    @Test func `the deadline of a request cancels its responder's code and frees its place`()
        async throws
    {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").respond(to: PriceOf.self) {
                guard $0.item == 7 else {
                    return $0.item
                }
                await journal.note("begun")
                try await Gate().pass()
                return 1
            }
        }
        try await bus.run { bus in
            async let price = bus.request(PriceOf(), from: "/shop", deadline: .seconds(1))
            _ = try await journal.entries(1)
            await bus.advance(by: .seconds(2))
            do {
                Issue.record("\(try await price)")
            } catch {
                #expect(error as? RequestError == .timedOut(at: "/shop"))
            }
            #expect(try await bus.request(PriceOf(item: 2), from: "/shop") == 2)
        }
    }

    @Test func `cancelling a request cancels its responder's code`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").respond(to: PriceOf.self) { _ in
                await journal.note("begun")
                do {
                    try await Gate().pass()
                } catch {
                    await journal.note("cancelled")
                }
                return 1
            }
        }
        try await bus.run { bus in
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await bus.request(PriceOf(), from: "/shop") }
                _ = try await journal.entries(1)
                group.cancelAll()
                do {
                    Issue.record("\(try await group.next() ?? 0)")
                } catch {
                    #expect(error is CancellationError)
                }
            }
            #expect(try await journal.entries(2) == ["begun", "cancelled"])
        }
    }

    @Test func `killing a requester cancels the responder's code`() async throws {
        let journal = Journal()
        let bus = LoopbackBus {
            Node("shop").respond(to: PriceOf.self) { _ in
                await journal.note("begun")
                do {
                    try await Gate().pass()
                } catch {
                    await journal.note("cancelled")
                }
                return 1
            }
            LoopbackProcess(mount: "/shop") {
                Node("shelf").task { _ = try await request(PriceOf()) }
            }
        }
        try await bus.run { bus in
            _ = try await journal.entries(1)
            try await bus.kill("/shop/shelf")
            #expect(try await journal.entries(2) == ["begun", "cancelled"])
        }
    }

    @Test func `a reply can be a structured value`() async throws {
        struct Menu: Request {
            struct Dish: Codable, Equatable {
                let name: String
                let price: Double?
            }
            typealias Reply = [Dish]
        }
        let dishes = [
            Menu.Dish(name: "soup", price: 3.5), Menu.Dish(name: "grüße", price: nil),
        ]
        let bus = LoopbackBus(mount: .root) { Node("shop").respond(to: Menu.self) { _ in dishes } }
        let reply = try await bus.run { try await $0.request(Menu(), from: "/shop") }
        #expect(reply == dishes)
    }

    @Test func `a reply of the wrong type throws badPayload`() async throws {
        await #expect {
            try await price {
                Node("shop") { Node("shelf") }.respond { _ in "seven" }
            }
        } throws: { error in
            (error as? CascadeError)?.code == .badPayload
        }
    }
}
