// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConcurrencyTests {
    private static func bus(_ count: Int, _ journal: Journal, _ gate: Gate) -> LoopbackBus {
        LoopbackBus(mount: .root) {
            Node("shop").concurrency(count).handle(ItemSelected.self) { event in
                await journal.note("begun \(event.item)")
                try await gate.pass()
                await journal.note("ended \(event.item)")
            }
        }
    }

    @Test func `a node handles one event at a time`() async throws {
        let (journal, gate) = (Journal(), Gate())
        try await Self.bus(1, journal, gate).run { bus in
            var raised: [RaisedEvent] = []
            for item in 1...3 {
                raised.append(try await bus.trigger(ItemSelected(item: item), from: "/shop"))
            }
            #expect(try await journal.entries(1) == ["begun 1"])
            await gate.open()
            for event in raised {
                #expect(try await event.outcome == .handled(by: "/shop"))
            }
        }
        #expect(
            await journal.entries == [
                "begun 1", "ended 1", "begun 2", "ended 2", "begun 3", "ended 3",
            ])
    }

    @Test func `a node handles as many events at a time as its concurrency`() async throws {
        let (journal, gate) = (Journal(), Gate())
        try await Self.bus(3, journal, gate).run { bus in
            var raised: [RaisedEvent] = []
            for item in 1...4 {
                raised.append(try await bus.trigger(ItemSelected(item: item), from: "/shop"))
            }
            #expect(try await journal.entries(3).sorted() == ["begun 1", "begun 2", "begun 3"])
            await gate.open()
            for event in raised {
                #expect(try await event.outcome == .handled(by: "/shop"))
            }
        }
        let entries = await journal.entries
        #expect(try #require(entries.firstIndex(of: "begun 4")) > 3)
    }

    @Test func `a slow node does not delay events that do not visit it`() async throws {
        let (journal, gate) = (Journal(), Gate())
        let bus = LoopbackBus {
            Node("slow").handle(ItemSelected.self) { _ in
                await journal.note("begun")
                try await gate.pass()
            }
            Node("quick").handle(ItemSelected.self) { _ in }
        }
        try await bus.run { bus in
            let slow = try await bus.trigger(ItemSelected(), from: "/slow")
            _ = try await journal.entries(1)
            let quick = try await bus.trigger(ItemSelected(), from: "/quick")
            #expect(try await quick.outcome == .handled(by: "/quick"))
            await gate.open()
            #expect(try await slow.outcome == .handled(by: "/slow"))
        }
    }
}
