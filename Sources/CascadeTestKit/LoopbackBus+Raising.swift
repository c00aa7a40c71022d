// SPDX-License-Identifier: Apache-2.0

public import Cascade
import CascadeSession

/// What a test raises: it comes from nobody in the tree, as what `cascadectl` raises does.
extension LoopbackBus {
    /// Triggers an event as a child of the node would: the node itself is asked first, then its
    /// ancestors.
    ///
    /// - Parameters:
    ///   - path: the node, or a vacant place. What isn't there refuses the event.
    ///   - deadline: how long each responder may take, in the time of the bus.
    ///   - onLoss: what becomes of the event if a node is lost after it accepted it.
    ///   - attributes: strings that travel beside the payload.
    ///   - tracing: whether the outcome is to tell which responders were asked.
    @discardableResult
    public func trigger(
        _ event: some Event, at path: NodePath, deadline: Duration? = nil,
        onLoss: LossPolicy = .fail, attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        let triggerEvent = TriggerEvent(link: try await runningLink(), origin: .outsider(path))
        return try await triggerEvent(
            event, deadline: deadline, onLoss: onLoss, attributes: attributes, tracing: tracing)
    }

    /// Publishes an event to subscribers at and below a path, and waits until each recipient's
    /// handler has ended.
    ///
    /// - Parameters:
    ///   - destination: which of the subscribers.
    ///   - path: where the publisher stands.
    ///   - deadline: how long the recipients may take, in the time of the bus.
    @discardableResult
    public func publish<E: Event>(
        _ event: E, to destination: PublishingDestination = .last, at path: NodePath = .root,
        deadline: Duration? = nil
    ) async throws -> PublicationOutcome {
        let publisher = EventPublisher<E>(
            link: try await runningLink(), origin: .outsider(path), destination: destination)
        return try await publisher(event, deadline: deadline)
    }

    /// Makes a node count as a subscriber, the most recent one.
    public func activate(_ path: NodePath) async throws {
        try await runningLink().activate(path, isActive: true)
    }

    /// Makes a node, and all below it, count as subscribers no longer.
    public func deactivate(_ path: NodePath) async throws {
        try await runningLink().activate(path, isActive: false)
    }
}
