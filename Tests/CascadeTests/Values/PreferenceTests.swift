// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Preferences that nodes offer to their ancestors.
@Suite(.timeLimit(.minutes(1))) struct PreferenceTests {
    private let journal = Journal()

    @Test func `an ancestor observes the reduction over its subtree and each change of it`()
        async throws
    {
        @Environment(\.prefer) var prefer
        let journal = journal
        let bus = LoopbackBus {
            Node("shop").onPreferenceChange(QueuedJobsKey.self) { jobs in
                let read = EnvironmentValues.current.preferences[QueuedJobsKey.self]
                await journal.note("\(jobs) \(read)")
            }
            LoopbackProcess(mount: "/shop") {
                Node("laser").preference(QueuedJobsKey.self, 2)
                    .handle(PriceChanged.self) { change in
                        try await prefer(QueuedJobsKey.self, change.price)
                    }
                    .handle(ItemSelected.self) { _ in
                        try await prefer.withdraw(QueuedJobsKey.self)
                    }
            }
        }
        try await bus.run { bus in
            #expect(try await journal.entries(1) == ["2 2"])
            let photo = try await bus.attach(mount: "/shop") {
                Node("photo").preference(QueuedJobsKey.self, 3)
            }
            #expect(try await journal.entries(2).last == "5 5")
            _ = try await bus.trigger(PriceChanged(price: 7), from: "/shop/laser").outcome
            #expect(try await journal.entries(3).last == "10 10")
            #expect(try await bus.control.preference(QueuedJobsKey.self, at: .root) == 10)
            await photo.kill()
            #expect(try await journal.entries(4).last == "7 7")
            _ = try await bus.trigger(ItemSelected(), from: "/shop/laser").outcome
            #expect(try await journal.entries(5).last == "0 0")
            #expect(try await bus.control.preference(QueuedJobsKey.self, at: .root) == 0)
        }
    }

    @Test func `a node's offer replaces the offers of its descendants`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("office") {
                    Node("printer").preference(QueuedJobsKey.self, 5)
                }
                .preference(QueuedJobsKey.self, 1)
            }
        }
        try await bus.run { bus in
            let found = try await bus.control.preference(QueuedJobsKey.self, at: "/shop")
            #expect(found == 1)
        }
    }

    @Test func `an offer is made again after a restart of the daemon`() async throws {
        @Environment(\.prefer) var prefer
        let bus = LoopbackBus(mount: .root) {
            Node("shop").handle(ItemSelected.self) { _ in
                try await prefer(QueuedJobsKey.self, 4)
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            await bus.restart()
            #expect(try await bus.control.preference(QueuedJobsKey.self, at: .root) == 4)
        }
    }
}
