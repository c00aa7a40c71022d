// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An event under way: its ID at once, its outcome when it has ended.
public struct RaisedEvent: Sendable {
    /// Names the event for good.
    public let id: EventID
    let pending: PendingOutcome

    /// Waits for the end of the event.
    ///
    /// Throws ``CascadeError`` if the bus refused the event, or if the worker ends first, and
    /// `CancellationError` if the task is cancelled meanwhile; the event goes on all the same.
    public var outcome: Outcome {
        get async throws {
            try await Outcome(pending.value)
        }
    }

    /// Waits for the end of the event, and tells which responders were asked. Only for events that
    /// were triggered with `tracing`.
    public var trail: [VisitRecord] {
        get async throws {
            try await pending.value.ended.trail
        }
    }
}

extension DurableOutcome {
    /// `nil` if it is not said whose it is.
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
