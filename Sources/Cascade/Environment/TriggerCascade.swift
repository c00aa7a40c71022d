// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Triggers cascading actions; called like a function.
///
///     @Environment(\.cascade) var cascade
///     …
///     try await cascade(CheckoutCompleted())
public struct TriggerCascade: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Runs the action of the event's name at every ancestor of this node, nearest first. No node
    /// can stop it, and a failure at one node does not affect the others.
    ///
    /// Returns when the cascade has been sent, before its outcome. Throws ``CascadeError`` if it
    /// cannot be sent.
    ///
    /// - Parameters:
    ///   - event: The event that the actions receive.
    ///   - includingSelf: Whether to start at this node instead of its parent.
    ///   - deadline: The time that each responder has; with `nil`, the bus's default.
    ///   - attributes: Strings that travel beside the payload.
    @discardableResult
    public func callAsFunction(
        _ event: some Event, includingSelf: Bool = false, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> RaisedCascade {
        // Only the trail names the visits that failed.
        let options = raiser.options(
            .upward(.cascade), includingSelf: includingSelf, deadline: deadline,
            flags: .wantsTrail)
        return RaisedCascade(
            event: try await raiser.raise(Raising(event, attributes), options))
    }
}
