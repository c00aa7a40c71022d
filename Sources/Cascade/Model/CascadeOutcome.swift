// SPDX-License-Identifier: Apache-2.0

/// How a cascading action ended.
public enum CascadeOutcome: Sendable, Hashable {
    /// The nodes where it ran, nearest first, and the visits that failed. Nowhere is a success too.
    case cascaded(through: [NodePath], failures: [VisitRecord])
    /// It was not declared where strict safety asks for it.
    case rejected(Failure)
    /// It had more causes than the bus allows.
    case looped(Failure)
    /// The bus could not take it to anybody.
    case failed(Failure)
}
