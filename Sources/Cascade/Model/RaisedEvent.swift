// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An event under way: its ID, and its outcome when it has ended.
public struct RaisedEvent: Sendable {
    /// The permanent ID of the event.
    public let id: EventID
    let pending: PendingOutcome

    /// The outcome, when the event has ended.
    ///
    /// Throws ``CascadeError`` if the bus refused the event or the worker ends first, and
    /// `CancellationError` if the task is cancelled; the event itself continues.
    public var outcome: Outcome {
        get async throws {
            try await Outcome(pending.value)
        }
    }

    /// The trail of visits, when the event has ended. It is empty unless the event was triggered
    /// with `tracing`.
    public var trail: [VisitRecord] {
        get async throws {
            try await pending.value.ended.trail
        }
    }
}

extension DurableOutcome {
    /// Returns `nil` if the outcome has no event ID.
    init?(_ settled: Settled) {
        guard let id = settled.id else {
            return nil
        }
        self.init(id: id, name: settled.name, outcome: Outcome(SettledEvent(settled)))
    }
}

extension Outcome {
    fileprivate init(_ settled: SettledEvent) {
        let ended = settled.ended
        let failure = ended.failure ?? Failure(.responderFailed)
        self =
            switch ended.code {
            case .handled, .delivered, .cascaded: .handled(by: settled.by ?? .root)
            case .unhandled, .noSubscriber: .unhandled
            case .failed: .failed(failure)
            case .timedOut: .timedOut(at: failure.node ?? .root)
            case .caught: .caught(failure, by: settled.by ?? .root)
            case .rejected: .rejected(failure)
            case .looped: .looped(failure)
            }
    }
}

extension PublicationOutcome {
    init(_ settled: SettledEvent) {
        let ended = settled.ended
        self =
            switch ended.code {
            case .handled, .delivered, .cascaded: .delivered(ended.recipients)
            case .unhandled, .noSubscriber: .noSubscriber
            case .failed, .caught, .rejected, .looped:
                .failed(ended.failure ?? Failure(.responderFailed))
            case .timedOut: .timedOut
            }
    }
}
