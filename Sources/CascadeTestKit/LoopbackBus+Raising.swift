// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// What a test raises: it comes from nobody in the tree, as what `cascadectl` raises does.
extension LoopbackBus {
    /// Triggers an event as a child of the node would: the node itself is asked first, then its
    /// ancestors.
    ///
    /// - Parameters:
    ///   - event: what is triggered.
    ///   - path: the node, or a vacant place. What isn't there refuses the event.
    ///   - deadline: how long each responder may take, in the time of the bus.
    ///   - hold: how long the event waits, if nobody handles it, for somebody who comes later.
    ///   - onLoss: what becomes of the event if a node is lost after it accepted it.
    ///   - attributes: strings that travel beside the payload.
    ///   - tracing: whether the outcome is to tell which responders were asked.
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

    /// Reports an error as a child of the node would: the node itself is asked first, then its
    /// ancestors.
    ///
    /// - Parameters:
    ///   - path: the node, or a vacant place.
    ///   - deadline: how long each responder may take, in the time of the bus.
    ///   - attributes: strings that travel beside the payload.
    ///   - tracing: whether the outcome is to tell which responders were asked.
    @discardableResult
    public func report(
        _ error: any Error, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        let reportError = ReportError(link: try await runningLink(), origin: .outsider(path))
        return try await reportError(
            error, deadline: deadline, attributes: attributes, tracing: tracing)
    }

    /// Asks as a child of the node would, and returns the answer. Throws as `SendRequest` does.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - path: the node, or a vacant place.
    ///   - deadline: how long each responder may take, in the time of the bus.
    ///   - attributes: strings that travel beside the payload.
    public func request<R: Request>(
        _ request: R, at path: NodePath, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> R.Reply {
        let send = SendRequest(link: try await runningLink(), origin: .outsider(path))
        return try await send(request, deadline: deadline, attributes: attributes)
    }

    /// Asks as a child of the node would, and tells in which way it ended.
    public func outcome<R: Request>(
        of request: R, at path: NodePath, deadline: Duration? = nil
    ) async throws -> RequestOutcome<R.Reply> {
        let send = SendRequest(link: try await runningLink(), origin: .outsider(path))
        return try await send.outcome(of: request, deadline: deadline)
    }

    /// Triggers a cascading action as a child of the node would: at the node itself, then at its
    /// ancestors.
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
    ///   - event: what is published.
    ///   - destination: which of the subscribers.
    ///   - path: where the publisher stands.
    ///   - retained: whether the event is kept for subscribers that come later.
    ///   - deadline: how long the recipients may take, in the time of the bus.
    @discardableResult
    public func publish<E: Event>(
        _ event: E, to destination: PublishingDestination = .last, at path: NodePath = .root,
        retained: Bool = false, deadline: Duration? = nil
    ) async throws -> PublicationOutcome {
        let publisher = try await publisher(for: E.self, destination: destination, at: path)
        return try await publisher(event, retained: retained, deadline: deadline)
    }

    /// A publisher that stands at a path.
    public func publisher<E: Event>(
        for type: E.Type, destination: PublishingDestination = .last, at path: NodePath = .root
    ) async throws -> EventPublisher<E> {
        EventPublisher(
            link: try await runningLink(), origin: .outsider(path), destination: destination)
    }

    /// The bus itself, for what an administrator does: moving, draining, looking.
    public var control: BusControl {
        get async throws {
            BusControl(link: try await runningLink())
        }
    }

    /// Makes a node count as a subscriber, the most recent one.
    public func activate(_ path: NodePath) async throws {
        try await control.activate(path)
    }

    /// Makes a node, and all below it, count as subscribers no longer.
    public func deactivate(_ path: NodePath) async throws {
        try await control.deactivate(path)
    }
}
