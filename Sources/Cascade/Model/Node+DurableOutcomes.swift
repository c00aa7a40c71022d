// SPDX-License-Identifier: Apache-2.0

/// Durable events outlive whoever triggers them; so do their outcomes.
extension Node {
    /// Is told how durable events ended that an earlier session of this node had triggered and not
    /// heard of any more, each until `receive` has returned for it.
    public func outcomes(
        _ receive: @escaping @Sendable (DurableOutcome) async -> Void
    ) -> Node {
        with { $0.outcomeReceivers.append(receive) }
    }
}
