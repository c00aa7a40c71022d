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

    /// Runs the action at every ancestor of this node that has one of this name, nearest first.
    /// None can stop it, and one that fails doesn't keep the rest from it.
    ///
    /// Returns as soon as it is on its way. To wait for the outcome is up to you.
    ///
    /// - Parameters:
    ///   - event: what the action is about.
    ///   - includingSelf: start at this node instead of its parent.
    ///   - deadline: how long each responder may take; the bus's default if `nil`.
    ///   - attributes: strings that travel beside the payload.
    @discardableResult
    public func callAsFunction(
        _ event: some Event, includingSelf: Bool = false, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> RaisedCascade {
        // Those that failed are known by the trail alone.
        let options = raiser.options(
            .upward(.cascade), includingSelf: includingSelf, deadline: deadline,
            flags: .wantsTrail)
        return RaisedCascade(
            event: try await raiser.raise(Raising(event, attributes), options))
    }
}
