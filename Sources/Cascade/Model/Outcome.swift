// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An event under way: its ID, and its outcome when it has ended.
public struct RaisedEvent: Sendable {
    /// The permanent ID of the event.
    public let id: EventID
    package let pending: PendingOutcome

    /// The outcome, when the event has ended.
    ///
    /// If the bus goes away and none is there when the `deadline` passes that the event was given, the
    /// outcome is ``Outcome/timedOut(at:)`` with the path `/`.
    ///
    /// Throws ``CascadeError`` if the bus refused the event or the worker ends first, and
    /// `CancellationError` if the task is cancelled; the event itself continues.
    public var outcome: Outcome {
        get async throws {
            try await Outcome(pending.value)
        }
    }

    /// The trail of visits, when the event has ended. It is empty unless the event was triggered
    /// with `tracing`. Throws as ``outcome`` does.
    public var trail: [VisitRecord] {
        get async throws {
            try await pending.value.ended.trail
        }
    }
}

/// The outcome of an event. The origin learns exactly one.
public enum Outcome: Sendable, Hashable {
    /// A responder of this node handled the event.
    case handled(by: NodePath)
    /// No responder above handled the event.
    case unhandled
    /// A responder threw or its node was lost, and no responder above handled or caught the error.
    case failed(Failure)
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// A responder threw; above it the error was handled, or was caught and its event handled.
    case caught(Failure, by: NodePath)
    /// The event was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)
}

extension Outcome {
    fileprivate init(_ settled: SettledEvent) {
        let ended = settled.ended
        lazy var failure = ended.failure ?? Failure(.responderFailed)
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

// MARK: - Requests

/// The outcome of a request.
public enum RequestOutcome<Reply: Sendable>: Sendable {
    case answered(Reply, by: NodePath)
    /// No responder above replied to the request.
    case unhandled
    /// A responder threw, or its node was lost.
    case failed(AnyError)
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// The request was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)

    /// The reply. Throws ``RequestError`` or ``AnyError`` if there is none.
    public var reply: Reply {
        get throws {
            switch self {
            case .answered(let reply, _): return reply
            case .unhandled: throw RequestError.unhandled
            case .failed(let error): throw error
            case .timedOut(let node): throw RequestError.timedOut(at: node)
            case .rejected(let failure): throw RequestError.rejected(failure)
            case .looped(let failure): throw RequestError.looped(failure)
            }
        }
    }
}

extension RequestOutcome where Reply: Decodable {
    /// Throws ``CascadeError`` if the reply does not fit the request's reply type.
    ///
    /// - Parameters:
    ///   - name: The name of the request.
    ///   - attributes: The attributes of the request.
    init(
        _ settled: SettledEvent, toRequest name: String, _ attributes: [String: String] = [:]
    ) throws {
        lazy var failure = settled.ended.failure ?? Failure(.responderFailed)
        switch settled.ended.code {
        case .handled:
            let reply = try PayloadCodec.decode(
                Reply.self, as: "reply to '\(name)'", from: settled.reply?.payload ?? [],
                contentType: settled.reply?.contentType)
            self = .answered(reply, by: settled.by ?? .root)
        case .unhandled, .noSubscriber, .delivered, .cascaded: self = .unhandled
        case .failed, .caught: self = .failed(AnyError(failure, settled.reply, attributes))
        case .timedOut: self = .timedOut(at: failure.node ?? .root)
        case .rejected: self = .rejected(failure)
        case .looped: self = .looped(failure)
        }
    }
}

/// The reason why a request has no reply, other than an error thrown by a responder.
public enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No responder above replied to the request.
    case unhandled
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// The request was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)

    public var description: String {
        switch self {
        case .unhandled: "no responder above replied"
        case .timedOut(let node): "\(node) did not answer in time"
        case .rejected(let failure), .looped(let failure): failure.description
        }
    }
}

// MARK: - Cascades

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

/// The outcome of a cascading action.
public enum CascadeOutcome: Sendable, Hashable {
    /// The nodes where the action ran, nearest first, and the visits that failed. Both lists may be
    /// empty.
    ///
    /// A failed visit has the message and title of its error; one of a node that was lost has the
    /// message of the bus, and one that did not answer in time has ``VisitRecord/hasTimedOut``.
    case cascaded(through: [NodePath], failures: [VisitRecord])
    /// The event was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)
    /// The bus could not deliver the cascade to any node.
    case failed(Failure)
}

extension CascadeOutcome {
    init(_ settled: SettledEvent) {
        let ended = settled.ended
        lazy var failure = ended.failure ?? Failure(.responderFailed)
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

// MARK: - Publications

/// The outcome of a publication.
public enum PublicationOutcome: Sendable, Hashable {
    /// These nodes received the publication, and their handlers have ended.
    case delivered([NodePath])
    /// No active node subscribes to the publication.
    case noSubscriber
    /// Every recipient failed; this is the failure of the first.
    case failed(Failure)
    /// No recipient's handler ended before the deadline.
    case timedOut
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

// MARK: - Durable events

/// The outcome of a durable event that an earlier session of the node triggered.
public struct DurableOutcome: Sendable, Hashable {
    /// The event's ID, as the trigger returned it.
    public let id: EventID
    /// The event's name when it ended.
    public let name: EventName
    /// The event's outcome.
    public let outcome: Outcome
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

/// Outcomes of durable events whose session has ended.
extension NodeConvertible {
    /// Calls `receive` with the outcome of each durable event that a previous session of this node
    /// triggered without learning its outcome. The bus repeats an outcome until `receive` has
    /// returned.
    public func outcomes(
        _ receive: @escaping @Sendable (DurableOutcome) async -> Void
    ) -> Node {
        with { $0.outcomeReceivers.append(receive) }
    }
}
