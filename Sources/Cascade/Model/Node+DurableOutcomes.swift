// SPDX-License-Identifier: Apache-2.0

/// Outcomes of durable events whose session has ended.
extension Node {
    /// Calls `receive` with the outcome of each durable event that a previous session of this node
    /// triggered without learning its outcome. The bus repeats an outcome until `receive` has
    /// returned.
    public func outcomes(
        _ receive: @escaping @Sendable (DurableOutcome) async -> Void
    ) -> Node {
        with { $0.outcomeReceivers.append(receive) }
    }
}
