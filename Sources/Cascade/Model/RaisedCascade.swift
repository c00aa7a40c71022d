// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// A cascading action under way: its ID, and its outcome when all nodes have been visited.
public struct RaisedCascade: Sendable {
    let event: RaisedEvent

    /// The permanent ID of the cascade.
    public var id: EventID {
        event.id
    }

    /// The outcome, when the cascade has ended. Throws as ``RaisedEvent/outcome`` does.
    public var outcome: CascadeOutcome {
        get async throws {
            try await CascadeOutcome(event.pending.value)
        }
    }
}

extension CascadeOutcome {
    init(_ settled: SettledEvent) {
        let ended = settled.ended
        let failure = ended.failure ?? Failure(.responderFailed)
        self =
            switch ended.code {
            case .rejected: .rejected(failure)
            case .looped: .looped(failure)
            case .failed, .timedOut, .caught: .failed(failure)
            case .cascaded, .handled, .unhandled, .delivered, .noSubscriber:
                .cascaded(
                    through: ended.recipients,
                    failures: ended.trail.filter { $0.verdict == .failed })
            }
    }
}
