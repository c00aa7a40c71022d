// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// Messages that a test sends. Their origin is outside the tree, as with `cascadectl`.
extension LoopbackBus {
    /// Triggers an event as a child of the node would: it visits the node itself, then its
    /// ancestors. Throws `CascadeError` if the bus refuses the event or does not run.
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
        _ event: some Event, from path: NodePath, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, attributes: [String: String] = [:],
        tracing: Bool = false
    ) async throws -> RaisedEvent {
        let triggerEvent = TriggerEvent(link: try await runningLink(), origin: .outsider(path))
        return try await triggerEvent(
            event, deadline: deadline, hold: hold, onLoss: onLoss, attributes: attributes,
            tracing: tracing)
    }

    /// Reports an error as a child of the node would: it visits the node itself, then its
    /// ancestors. Throws `CascadeError` if the bus refuses the error or does not run.
    ///
    /// - Parameters:
    ///   - error: The error to report.
    ///   - path: The node or vacant place.
    ///   - deadline: The time limit of each responder, in the time of the bus.
    ///   - attributes: Strings that travel beside the payload.
    ///   - tracing: Whether the outcome includes the trail of visits.
    @discardableResult
    public func report(
        _ error: any Error, from path: NodePath, deadline: Duration? = nil,
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
        _ request: R, from path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> R.Reply {
        let send = SendRequest(link: try await runningLink(), origin: .outsider(path))
        return try await send(request, deadline: deadline, attributes: attributes)
    }

    /// Sends a request as a child of the node would, and returns its outcome. Throws `CascadeError`
    /// if the bus refuses the request or does not run, or if the reply cannot be read.
    public func outcome<R: Request>(
        of request: R, from path: NodePath, deadline: Duration? = nil
    ) async throws -> RequestOutcome<R.Reply> {
        let send = SendRequest(link: try await runningLink(), origin: .outsider(path))
        return try await send.outcome(of: request, deadline: deadline)
    }

    /// Triggers a cascading action as a child of the node would: at the node itself, then at its
    /// ancestors. Throws `CascadeError` if the bus refuses it or does not run.
    @discardableResult
    public func cascade(
        _ event: some Event, from path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> RaisedCascade {
        let cascade = TriggerCascade(link: try await runningLink(), origin: .outsider(path))
        return try await cascade(event, deadline: deadline, attributes: attributes)
    }

    /// Publishes an event to subscribers at and below a path, and waits until each recipient's
    /// handler has ended. Throws `CascadeError` if the bus refuses the publication or does not run.
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

    /// Returns a publisher at a path. Throws `CascadeError` unless the bus runs.
    public func publisher<E: Event>(
        for type: E.Type, destination: PublishingDestination = .last, at path: NodePath = .root
    ) async throws -> EventPublisher<E> {
        EventPublisher(
            link: try await runningLink(), origin: .outsider(path), destination: destination)
    }

    /// The administration of the bus: moves, drains and inspections. Throws `CascadeError` unless
    /// the bus runs.
    public var control: BusControl {
        get async throws {
            BusControl(link: try await runningLink())
        }
    }

    /// Makes a node active: it counts as a subscriber, the most recent one. Throws `CascadeError` if
    /// there is no such node.
    public func activate(_ path: NodePath) async throws {
        try await control.activate(path)
    }

    /// Makes a node and its subtree inactive: they no longer count as subscribers. Throws
    /// `CascadeError` if there is no such node.
    public func deactivate(_ path: NodePath) async throws {
        try await control.deactivate(path)
    }
}

// MARK: - Names of release 0.1.0

extension LoopbackBus {
    @available(*, deprecated, renamed: "trigger(_:from:deadline:hold:onLoss:attributes:tracing:)")
    @discardableResult
    public func trigger(
        _ event: some Event, at path: NodePath, deadline: Duration? = nil, hold: Duration? = nil,
        onLoss: LossPolicy = .fail, attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        try await trigger(
            event, from: path, deadline: deadline, hold: hold, onLoss: onLoss,
            attributes: attributes, tracing: tracing)
    }

    @available(*, deprecated, renamed: "report(_:from:deadline:attributes:tracing:)")
    @discardableResult
    public func report(
        _ error: any Error, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        try await report(
            error, from: path, deadline: deadline, attributes: attributes, tracing: tracing)
    }

    @available(*, deprecated, renamed: "request(_:from:deadline:attributes:)")
    public func request<R: Request>(
        _ request: R, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> R.Reply {
        try await self.request(request, from: path, deadline: deadline, attributes: attributes)
    }

    @available(*, deprecated, renamed: "outcome(of:from:deadline:)")
    public func outcome<R: Request>(
        of request: R, at path: NodePath, deadline: Duration? = nil
    ) async throws -> RequestOutcome<R.Reply> {
        try await outcome(of: request, from: path, deadline: deadline)
    }

    @available(*, deprecated, renamed: "cascade(_:from:deadline:attributes:)")
    @discardableResult
    public func cascade(
        _ event: some Event, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> RaisedCascade {
        try await cascade(event, from: path, deadline: deadline, attributes: attributes)
    }
}
