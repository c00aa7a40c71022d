// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Where the outcome of something raised is waited for.
struct PendingOutcome: Sendable {
    let sequence: UInt64
    let link: Link

    var value: SettledEvent {
        get async throws {
            try await link.outcome(of: sequence)
        }
    }

    /// Nobody waits for it any longer: whoever works on it is told to stop.
    func cancel() async {
        await link.cancel(sequence)
    }
}
