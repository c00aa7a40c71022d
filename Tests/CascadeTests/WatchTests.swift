// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import CascadeWire
import Testing

@testable import CascadeTestKit

/// Repeating queries.
@Suite(.timeLimit(.minutes(1))) struct WatchTests {
    @Test func `an ended repeating query makes room for the next one`() async throws {
        try await LoopbackBus { Node("shop") }.run { bus in
            let link = Link(
                session: Session(id: SessionID(high: 7, low: 7), program: "looker", processID: 7),
                sharing: bus.broker)
            await link.open { LoopbackTransport(link: $0, broker: bus.broker, processID: 7) }
            for _ in 0..<100 {
                let first = try await first(of: link.watch(.tree(path: "/shop", depth: 0)))
                #expect(try Header(parsing: #require(first)).command == .answer)
            }
            await link.close(CascadeError(.notRunning, "the test has ended"))
        }
    }

    private func first(of answers: AsyncStream<[UInt8]>) async -> [UInt8]? {
        await answers.first { _ in true }
    }
}
