// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A reference to the outcome of a message that was raised.
struct PendingOutcome: Sendable {
    let sequence: UInt64
    let link: Link

    var value: SettledEvent {
        get async throws {
            try await link.outcome(of: sequence)
        }
    }

    /// Cancels the request, and the task of the responder that works on it.
    func cancel() async {
        await link.cancel(sequence)
    }
}
