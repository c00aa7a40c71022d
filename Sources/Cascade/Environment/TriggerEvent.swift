// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Triggers events; called like a function.
///
///     @Environment(\.triggerEvent) var triggerEvent
///     …
///     let outcome = try await triggerEvent(ItemSelected(item: 7)).outcome
public struct TriggerEvent: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Triggers an event, which visits the ancestors of this node, nearest first.
    ///
    /// Returns when the event has been sent, before its outcome; waits for credit of the bus if
    /// there is none. Throws ``CascadeError`` if the event cannot be sent or, for a durable event,
    /// if the bus cannot store it.
    ///
    /// - Parameters:
    ///   - event: The event to trigger.
    ///   - includingSelf: Whether to start at this node instead of its parent.
    ///   - deadline: The time that each responder has; with `nil`, the bus's default.
    ///   - hold: The time that an unhandled event waits for a later responder. With `nil`, a
    ///     durable event has the bus's default, a day, and another event is not held.
    ///   - onLoss: The fate of the event if a node is lost after it accepted the event.
    ///   - delivery: The guarantee of delivery. A ``DeliveryLevel/durable`` event is on the bus's
    ///     disk when this method returns.
    ///   - attributes: Strings that travel beside the payload.
    ///   - tracing: Whether the outcome includes the trail of visits.
    @discardableResult
    public func callAsFunction(
        _ event: some Event, includingSelf: Bool = false, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, delivery: DeliveryLevel = .acknowledged,
        attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        let raising = try Raising(event, attributes)
        let options = raiser.options(
            .up, includingSelf: includingSelf, deadline: deadline, hold: hold, onLoss: onLoss,
            flags: tracing ? .wantsTrail : [])
        return switch delivery {
        case .acknowledged: try await raiser.raise(raising, options)
        case .durable: try await raiser.running().raiseDurable(raising, options)
        }
    }

    /// Triggers an event at most once, without an outcome.
    public func emit(_ event: some Event, attributes: [String: String] = [:]) async throws {
        try await raiser.emit(
            Raising(event, attributes), raiser.options(.up, flags: .unacknowledged))
    }
}
