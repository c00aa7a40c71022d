// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RetainedTests {
    @Environment(\.visit) private var visit

    private func board(_ journal: Journal) -> Node {
        Node("board").subscribe(to: PriceChanged.self) { change in
            await journal.note("\(change.price) \(visit?.isRetained == true)")
        }
    }

    @Test func `a later subscriber receives the last retained publication once, marked so`()
        async throws
    {
        let journal = Journal()
        try await LoopbackBus {}.run { bus in
            try await bus.publish(PriceChanged(price: 1), retained: true)
            try await bus.publish(PriceChanged(price: 2), retained: true)
            try await bus.publish(PriceChanged(price: 3))
            try await bus.attach { board(journal) }
            #expect(try await journal.entries(1) == ["2 true"])
            try await bus.publish(PriceChanged(price: 4))
        }
        #expect(await journal.entries == ["2 true", "4 false"])
    }

    @Test func `a cleared publication is not delivered`() async throws {
        let journal = Journal()
        try await LoopbackBus {}.run { bus in
            try await bus.publish(PriceChanged(price: 1), retained: true)
            try await bus.publisher(for: PriceChanged.self).clear()
            try await bus.attach { board(journal) }
            try await bus.publish(PriceChanged(price: 4))
        }
        #expect(await journal.entries == ["4 false"])
    }
}
