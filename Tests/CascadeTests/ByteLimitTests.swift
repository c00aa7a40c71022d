// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The limits of bytes on a loopback bus, which are those of the daemon.
@Suite(.timeLimit(.minutes(1))) struct ByteLimitTests {
    /// An event whose JSON is a few bytes longer than `byteCount`.
    private struct Document: Event {
        var text: String

        init(byteCount: Int) {
            text = String(repeating: "x", count: byteCount)
        }
    }

    @Test func `a message over the limit is refused, and the session continues`() async throws {
        try await LoopbackBus {}.run { bus in
            await #expect { try await bus.publish(Document(byteCount: 16 << 20)) } throws: {
                ($0 as? CascadeError)?.reason == .limitReached
            }
            let outcome = try await bus.publish(Document(byteCount: 1))
            #expect(outcome == .noSubscriber)
        }
    }

    @Test func `retained publications over their limit of bytes are refused`() async throws {
        try await LoopbackBus {}.run { bus in
            // Four of them fit into 64 MiB, under as many paths.
            for number in 1...4 {
                try await bus.attach { Node("publisher\(number)") }
                let outcome = try await bus.publish(
                    Document(byteCount: 15 << 20), at: NodePath("/publisher\(number)"),
                    retained: true)
                #expect(outcome == .noSubscriber)
            }
            try await bus.attach { Node("publisher5") }
            await #expect {
                try await bus.publish(
                    Document(byteCount: 15 << 20), at: "/publisher5", retained: true)
            } throws: {
                ($0 as? CascadeError)?.reason == .limitReached
            }
        }
    }
}
