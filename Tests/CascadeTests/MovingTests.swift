// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Administrative commands on a worker's nodes.
@Suite(.timeLimit(.minutes(1))) struct MovingTests {
    @Environment(\.path) private var path
    @Environment(\.triggerEvent) private var triggerEvent

    @Test func `a moved node's code triggers at its new path, even if it began before`()
        async throws
    {
        let (journal, gate) = (Journal(), Gate())
        let bus = LoopbackBus {
            Node("a").handle(ItemSelected.self) { _ in await journal.note("a") }
            Node("b").handle(ItemSelected.self) { _ in await journal.note("b") }
            LoopbackProcess(mount: "/a") {
                Node("till").task {
                    await journal.note("\(path)")
                    try await gate.pass()
                    _ = try await triggerEvent(ItemSelected()).outcome
                    await journal.note("\(path)")
                }
                .handle(PriceChanged.self) { _ in await journal.note("price at \(path)") }
            }
        }
        try await bus.run { bus in
            _ = try await journal.entries(1)
            try await bus.control.move("/a/till", under: "/b")
            let outcome = try await bus.trigger(PriceChanged(), from: "/b/till").outcome
            #expect(outcome == .handled(by: "/b/till"))
            await gate.open()
            let entries = try await journal.entries(4)
            #expect(entries == ["/a/till", "price at /b/till", "b", "/b/till"])
        }
    }

    @Test func `a worker whose last node is drained ends without an error`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("a").task {
                do {
                    try await Gate().pass()
                } catch {
                    await journal.note("ended")
                }
            }
        }
        try await bus.run { bus in
            let process = try await bus.process(at: "/a")
            try await bus.control.drain("/a")
            try await process.waitUntilEnded()
            #expect(try await bus.nodes.isEmpty)
        }
        #expect(await journal.entries == ["ended"])
    }

    @Test func `a worker whose last node is detached ends with the reason`() async throws {
        let bus = LoopbackBus { Node("a") }
        try await bus.run { bus in
            let process = try await bus.process(at: "/a")
            try await bus.control.detach("/a")
            await #expect { try await process.waitUntilEnded() } throws: { error in
                (error as? CascadeError)?.reason == .detached
            }
        }
    }

    @Test func `a presented node is detached with its parent`() async throws {
        let bus = LoopbackBus {
            Node("app")
            LoopbackProcess(mount: "/app") { Node("sheet").presented() }
        }
        try await bus.run { bus in
            let sheet = try await bus.process(at: "/app/sheet")
            try await bus.process(at: "/app").leave()
            await #expect { try await sheet.waitUntilEnded() } throws: { error in
                (error as? CascadeError)?.reason == .parentGone
            }
        }
    }
}
