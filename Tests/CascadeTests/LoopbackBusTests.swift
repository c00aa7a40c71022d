// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoopbackBusTests {
    @Test func `a run returns the body's result or throws its error`() async throws {
        #expect(try await LoopbackBus { Node("a") }.run { _ in 7 } == 7)
        await #expect(throws: SoldOut.self) {
            try await LoopbackBus { Node("a") }.run { _ in throw SoldOut() }
        }
    }

    @Test func `a run whose body throws does not wait for a stuck process`() async throws {
        let journal = Journal()
        let bus = LoopbackBus {
            Node("a").handle(ItemSelected.self) { _ in
                await journal.note("begun")
                try await Gate().pass()
            }
        }
        await #expect(throws: SoldOut.self) {
            try await bus.run { bus in
                try await bus.trigger(ItemSelected(), from: "/a")
                _ = try await journal.entries(1)
                throw SoldOut()
            }
        }
    }

    @Test func `a refused attach throws before the body runs`() async throws {
        let bus = LoopbackBus {
            Node("a")
            Node("a")
        }
        await #expect {
            try await bus.run { _ in Issue.record("the body has run") }
        } throws: {
            ($0 as? CascadeError)?.reason == .pathTaken
        }
    }

    @Test func `a run throws the error of a failed process, unless the test has awaited it`()
        async throws
    {
        await #expect(throws: SoldOut.self) {
            try await LoopbackBus { Node("a").task { throw SoldOut() } }.run { bus in
                await bus.advance(by: .zero)
            }
        }
        try await LoopbackBus {}.run { bus in
            let process = try await bus.attach { Node("a").task { throw SoldOut() } }
            await #expect(throws: SoldOut.self) { try await process.waitUntilEnded() }
        }
    }

    @Test func `processes are workers, nodes, convertible types and groups of nodes`() async throws
    {
        struct Shop: Worker {
            var body: [Node] {
                Node("shop")
            }
        }
        struct Cart: NodeConvertible {
            let node = Node("cart")
        }
        let bus = LoopbackBus {
            Shop()
            Cart()
            for name in ["x", "y"] {
                Node(name)
            }
            LoopbackProcess(mount: "/shop") {
                Node("a")
                Node("b")
            }
        }
        try await bus.run { bus in
            #expect(
                try await bus.nodes == ["/shop", "/shop/a", "/shop/b", "/cart", "/x", "/y"])
            #expect(try await bus.process(at: "/shop/a").paths == ["/shop/a", "/shop/b"])
            try await bus.kill("/shop/b")
            #expect(try await bus.nodes == ["/shop", "/cart", "/x", "/y"])
            let error = await #expect(throws: CascadeError.self) { try await bus.kill("/shop/b") }
            #expect(error?.reason == .noSuchNode)
        }
    }

    @Test func `before and after the run every call throws`() async throws {
        let bus = LoopbackBus { Node("a") }
        await #expect { try await bus.trigger(ItemSelected(), from: "/a") } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        try await bus.run { _ in }
        await #expect { try await bus.trigger(ItemSelected(), from: "/a") } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await bus.attach { Node("b") } } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await bus.run { _ in } } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
    }

    @Test func `two buses are independent`() async throws {
        try await LoopbackBus { Node("a") }.run { _ in
            try await LoopbackBus { Node("a") }.run { inner in
                let nodes = try await inner.nodes
                #expect(nodes == ["/a"])
            }
        }
    }

    @Test func `an event over the limit of bytes is refused`() async throws {
        struct Huge: Event {
            let text: String
        }
        try await LoopbackBus { Node("a") }.run { bus in
            let huge = Huge(text: String(repeating: "x", count: 17 << 20))
            await #expect {
                try await bus.trigger(huge, from: "/a")
            } throws: {
                ($0 as? CascadeError)?.reason == .limitReached
            }
        }
    }
}
