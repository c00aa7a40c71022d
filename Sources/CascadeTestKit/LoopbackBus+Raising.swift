// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// Messages that a test sends. Their origin is outside the tree, as with `cascadectl`.
extension LoopbackBus {
    /// Triggers an event as a child of the node would: it visits the node itself, then its ancestors.
    ///
    /// - Parameters:
    ///   - event: The event to trigger.
    ///   - path: The node or vacant place. The bus refuses an event for any other path.
    ///   - deadline: The time limit of each responder, in the time of the bus.
    ///   - hold: The time for which an unhandled event waits for a later responder.
    ///   - onLoss: Whether the event fails or continues if a node is lost after it accepted the event.
    ///   - attributes: Strings that travel beside the payload.
    ///   - tracing: Whether the outcome includes the trail of visits.
    @discardableResult
    public func trigger(
        _ event: some Event, at path: NodePath, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, attributes: [String: String] = [:],
        tracing: Bool = false
    ) async throws -> RaisedEvent {
        let triggerEvent = TriggerEvent(link: try await runningLink(), origin: .outsider(path))
        return try await triggerEvent(
            event, deadline: deadline, hold: hold, onLoss: onLoss, attributes: attributes,
            tracing: tracing)
    }

    /// Reports an error as a child of the node would: it visits the node itself, then its
    /// ancestors.
    ///
    /// - Parameters:
    ///   - error: The error to report.
    ///   - path: The node or vacant place.
    ///   - deadline: The time limit of each responder, in the time of the bus.
    ///   - attributes: Strings that travel beside the payload.
    ///   - tracing: Whether the outcome includes the trail of visits.
    @discardableResult
    public func report(
        _ error: any Error, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        let reportError = ReportError(link: try await runningLink(), origin: .outsider(path))
        return try await reportError(
            error, deadline: deadline, attributes: attributes, tracing: tracing)
    }

    /// Sends a request as a child of the node would, and returns the reply. Throws as `SendRequest`
    /// does.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - path: The node or vacant place.
    ///   - deadline: The time limit of each responder, in the time of the bus.
    ///   - attributes: Strings that travel beside the payload.
    public func request<R: Request>(
        _ request: R, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> R.Reply {
        let send = SendRequest(link: try await runningLink(), origin: .outsider(path))
        return try await send(request, deadline: deadline, attributes: attributes)
    }

    /// Sends a request as a child of the node would, and returns its outcome.
    public func outcome<R: Request>(
        of request: R, at path: NodePath, deadline: Duration? = nil
    ) async throws -> RequestOutcome<R.Reply> {
        let send = SendRequest(link: try await runningLink(), origin: .outsider(path))
        return try await send.outcome(of: request, deadline: deadline)
    }

    /// Triggers a cascade as a child of the node would: it visits the node itself, then all its ancestors.
    @discardableResult
    public func cascade(
        _ event: some Event, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> RaisedCascade {
        let cascade = TriggerCascade(link: try await runningLink(), origin: .outsider(path))
        return try await cascade(event, deadline: deadline, attributes: attributes)
    }

    /// Publishes an event to subscribers at and below a path, and waits until each recipient's
    /// handler has ended.
    ///
    /// - Parameters:
    ///   - event: The event to publish.
    ///   - destination: The selection among the subscribers.
    ///   - path: The path of the publisher.
    ///   - retained: Whether the bus retains the event for later subscribers.
    ///   - deadline: The time limit of the recipients, in the time of the bus.
    @discardableResult
    public func publish<E: Event>(
        _ event: E, to destination: PublishingDestination = .last, at path: NodePath = .root,
        retained: Bool = false, deadline: Duration? = nil
    ) async throws -> PublicationOutcome {
        let publisher = try await publisher(for: E.self, destination: destination, at: path)
        return try await publisher(event, retained: retained, deadline: deadline)
    }

    /// Returns a publisher at a path.
    public func publisher<E: Event>(
        for type: E.Type, destination: PublishingDestination = .last, at path: NodePath = .root
    ) async throws -> EventPublisher<E> {
        EventPublisher(
            link: try await runningLink(), origin: .outsider(path), destination: destination)
    }

    /// The administration of the bus: it inspects the tree, and moves, drains and detaches nodes.
    public var control: BusControl {
        get async throws {
            BusControl(link: try await runningLink())
        }
    }

    /// Makes a node active, so that it counts as the most recent subscriber.
    public func activate(_ path: NodePath) async throws {
        try await control.activate(path)
    }

    /// Makes a node inactive, so that neither the node nor its subtree counts as a subscriber.
    public func deactivate(_ path: NodePath) async throws {
        try await control.deactivate(path)
    }
}
