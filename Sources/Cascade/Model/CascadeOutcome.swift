// SPDX-License-Identifier: Apache-2.0

/// The outcome of a cascading action.
public enum CascadeOutcome: Sendable, Hashable {
    /// The nodes where the action ran, nearest first, and the visits that failed. The list may be
    /// empty.
    case cascaded(through: [NodePath], failures: [VisitRecord])
    /// The event was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)
    /// The bus could not deliver the cascade to any node.
    case failed(Failure)
}
