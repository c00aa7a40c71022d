// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The time of a bus in memory, and the order of its tasks.
@Suite(.timeLimit(.minutes(1))) struct AdvanceTests {
    @Environment(\.triggerEvent) private var triggerEvent

    /// An actor of a worker's own, on which its code runs in turn with other code.
    private actor Stock {
        var count = 0

        func take() async {
            await Task.yield()
            count += 1
        }
    }

    @Test func `the time does not advance before tasks of many steps wait`() async throws {
        let (log, clock, stock) = (Journal(), VirtualClock(), Stock())
        let start = clock.now
        let bus = LoopbackBus(clock: clock, mount: .root) {
            Node("shop").handle(ItemSelected.self) {
                for _ in 0..<1_000 {
                    await stock.take()
                }
                await log.note("\(start.duration(to: clock.now).components.seconds)")
            }
        }
        try await bus.run { bus in
            try await bus.trigger(ItemSelected(), from: "/shop")
            await bus.advance(by: .seconds(5))
            // No wait: the task has ended before the time advanced.
            #expect(await log.entries == ["0"])
        }
    }

    @Test func `an event that a timer triggers is handled at the timer's time`() async throws {
        let (log, clock) = (Journal(), VirtualClock())
        let start = clock.now
        let bus = LoopbackBus(clock: clock, mount: .root) {
            Node("a") {
                Node("b") {
                    Node("timer").every(.seconds(1), clock: clock) {
                        try await triggerEvent(ItemSelected())
                    }
                }
                .transform(ItemSelected.self) { PriceChanged() }
            }
            .handle(PriceChanged.self) {
                await log.note("\(start.duration(to: clock.now).components.seconds)")
            }
        }
        try await bus.run { await $0.advance(by: .seconds(4)) }
        #expect(await log.entries == ["1", "2", "3", "4"])
    }

    @Test func `a request that the test sends at the same time is answered`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop").respond(to: PriceOf.self) { 3 }
        }
        let price = try await bus.run { bus in
            async let price = bus.request(PriceOf(), from: "/shop")
            await bus.advance(by: .zero)
            return try await price
        }
        #expect(price == 3)
    }

    /// The order in which the tasks of five nodes take turns.
    private func order() async throws -> [String] {
        let log = Journal()
        let bus = LoopbackBus(mount: .root) {
            for number in 1...5 {
                Node("n\(number)").task {
                    for step in 1...number {
                        await Task.yield()
                        await log.note("\(number).\(step)")
                    }
                }
            }
        }
        try await bus.run { await $0.advance(by: .zero) }
        return await log.entries
    }

    @Test func `the same test takes the same course each time`() async throws {
        let first = try await order()
        #expect(first.count == 15)
        for _ in 0..<20 {
            #expect(try await order() == first)
        }
    }
}
