// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct AttachingTests {
    @Test func `nested nodes attach at their paths below the worker's mount`() async throws {
        let bus = LoopbackBus(mount: "/shop/floor") {
            Node("shelf") {
                Node("top")
                if true {
                    Node("bottom")
                }
            }
            for number in 1...2 {
                Node("till-\(number)")
            }
        }
        try await bus.run { bus in
            let nodes = try await bus.nodes
            #expect(
                nodes == [
                    "/shop/floor/shelf", "/shop/floor/shelf/top", "/shop/floor/shelf/bottom",
                    "/shop/floor/till-1", "/shop/floor/till-2",
                ])
        }
    }

    @Test func `a worker attaches at its type's mount`() async throws {
        struct Shop: Worker {
            static let mount: NodePath = "/town"

            var body: [Node] {
                Node("shop").handle(ItemSelected.self) { _ in }
            }
        }
        try await LoopbackBus { Shop() }.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/town/shop").outcome
            #expect(outcome == .handled(by: "/town/shop"))
        }
    }

    @Test func `a path held by a live process is refused, and the error names the holder`()
        async throws
    {
        let bus = LoopbackBus { Node("shop") }
        try await bus.run { bus in
            await #expect { try await bus.attach { Node("shop") } } throws: { error in
                let error = error as? CascadeError
                return error?.code == .refused && error?.reason == .pathTaken
                    && error?.message == "the path '/shop' is held by process 1"
            }
            let nodes = try await bus.nodes
            #expect(nodes == ["/shop"])
        }
    }

    @Test func `a refused process attaches none of its nodes`() async throws {
        try await LoopbackBus { Node("b") }.run { bus in
            let error = await #expect(throws: CascadeError.self) {
                try await bus.attach {
                    Node("a")
                    Node("b")
                }
            }
            #expect(error?.reason == .pathTaken)
            let nodes = try await bus.nodes
            #expect(nodes == ["/b"])
        }
    }

    @Test func `a takeover detaches the old holder and tells it the reason`() async throws {
        let bus = LoopbackBus {}
        try await bus.run { bus in
            let old = try await bus.attach { Node("shop") }
            try await bus.attach { Node("shop").takeover().handle(ItemSelected.self) { _ in } }
            await #expect { try await old.waitUntilEnded() } throws: { error in
                let error = error as? CascadeError
                return error?.code == .detached && error?.reason == .takenOver
            }
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(outcome == .handled(by: "/shop"))
        }
    }

    @Test func `the code of a node that was taken over cannot trigger events`() async throws {
        @Environment(\.triggerEvent) var triggerEvent
        let (journal, gate) = (Journal(), Gate())
        let bus = LoopbackBus(mount: .root) {
            Node("a").handle(ItemSelected.self) { _ in
                await journal.note("begun")
                try await gate.pass()
                do {
                    try await triggerEvent(PriceChanged())
                } catch {
                    await journal.note("\((error as? CascadeError)?.code == .detached)")
                }
            }
            Node("b")
        }
        try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/a")
            _ = try await journal.entries(1)
            try await bus.attach { Node("a").takeover() }
            await gate.open()
            #expect(try await journal.entries(2).last == "true")
        }
    }

    @Test(arguments: ["", "a b", "-a", "a/b", "ä"]
    )
    func `a malformed node name is refused`(name: String) async throws {
        try await LoopbackBus {}.run { bus in
            await #expect { try await bus.attach { Node(name) } } throws: {
                ($0 as? CascadeError)?.code == .badName
            }
        }
    }

    @Test func `a malformed event name of a responder or subscription is refused`() async throws {
        struct Bad: Event {
            static let name = "no name"
        }
        try await LoopbackBus {}.run { bus in
            await #expect { try await bus.attach { Node("a").handle(Bad.self) { _ in } } } throws: {
                ($0 as? CascadeError)?.code == .badName
            }
            await #expect {
                try await bus.attach { Node("a").subscribe(toName: "no name") { _ in } }
            } throws: {
                ($0 as? CascadeError)?.code == .badName
            }
        }
    }

    @Test func `a leaving process finishes its events, and later ones go to the next responder`()
        async throws
    {
        let (journal, gate) = (Journal(), Gate())
        let bus = LoopbackBus {
            Node("shop").handle(ItemSelected.self) { _ in await journal.note("shop") }
            LoopbackProcess(mount: "/shop") {
                Node("shelf").handle(ItemSelected.self) { _ in
                    await journal.note("begun")
                    try await gate.pass()
                }
            }
        }
        try await bus.run { bus in
            let first = try await bus.trigger(ItemSelected(), from: "/shop/shelf")
            _ = try await journal.entries(1)
            let shelf = try await bus.process(at: "/shop/shelf")
            async let left: Void = shelf.leave()
            await bus.advance(by: .zero)
            let second = try await bus.trigger(ItemSelected(), from: "/shop/shelf")
            #expect(try await second.outcome == .handled(by: "/shop"))
            await gate.open()
            #expect(try await first.outcome == .handled(by: "/shop/shelf"))
            try await left
            #expect(try await bus.nodes == ["/shop"])
        }
    }
}
