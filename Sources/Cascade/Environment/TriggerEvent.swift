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

    /// Triggers an event. It visits the ancestors of this node, nearest first.
    ///
    /// Returns as soon as the event is on its way; waits only while the bus has given no more
    /// credit. To wait for the outcome is up to you.
    ///
    /// - Parameters:
    ///   - event: what is triggered.
    ///   - includingSelf: start at this node instead of its parent.
    ///   - deadline: how long each responder may take; the bus's default if `nil`.
    ///   - hold: how long the event waits, if nobody handles it, for somebody who comes later; the
    ///     bus's default for a durable event, a day, if `nil`.
    ///   - onLoss: what becomes of the event if a node is lost after it accepted it.
    ///   - delivery: what is promised. A ``DeliveryLevel/durable`` event is on the bus's disk when
    ///     this returns; if the bus cannot keep it, that is thrown.
    ///   - attributes: strings that travel beside the payload.
    ///   - tracing: whether the outcome is to tell which responders were asked.
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

    /// Triggers an event and forgets it: at most once, and nobody is told how it ends.
    public func emit(_ event: some Event, attributes: [String: String] = [:]) async throws {
        try await raiser.emit(
            Raising(event, attributes), raiser.options(.up, flags: .unacknowledged))
    }
}
