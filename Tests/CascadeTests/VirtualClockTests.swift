// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct VirtualClockTests {
    /// A node that triggers an event each hour.
    private struct Bell: NodeConvertible {
        @Environment(\.triggerEvent) var triggerEvent
        var clock: any Clock<Duration> = ContinuousClock()

        var node: Node {
            Node("bell").task {
                while true {
                    try await Task.sleep(for: .seconds(3600), clock: clock)
                    try await triggerEvent(ItemSelected())
                }
            }
        }
    }

    @Test func `sleeps on the bus's clock end at their times when it is advanced`() async throws {
        let journal = Journal()
        let clock = VirtualClock()
        let start = clock.now
        let bus = LoopbackBus(clock: clock, mount: .root) {
            Node("tower") {
                Bell(clock: clock)
            }
            .handle(ItemSelected.self) { _ in
                await journal.note("\(start.duration(to: clock.now).components.seconds)")
            }
        }
        try await bus.run { bus in
            await bus.advance(by: .seconds(3 * 3600))
            let entries = try await journal.entries(3)
            #expect(entries == ["3600", "7200", "10800"])
        }
    }

    @Test func `the clock does not advance by itself`() async throws {
        let clock = VirtualClock()
        let start = clock.now
        try await LoopbackBus(clock: clock) { Node("a") }.run { bus in
            #expect(clock.now == start)
            await bus.advance(by: .seconds(5))
            #expect(clock.now == start.advanced(by: .seconds(5)))
            #expect(start < clock.now)
        }
    }

    @Test func `a cancelled sleep throws, and a sleep of zero returns`() async throws {
        let clock = VirtualClock()
        try await Task.sleep(for: .zero, clock: clock)
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Task.sleep(for: .seconds(1), clock: clock) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }
}
