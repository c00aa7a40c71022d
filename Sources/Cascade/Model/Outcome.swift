// SPDX-License-Identifier: Apache-2.0

/// The outcome of an event. The origin learns exactly one.
public enum Outcome: Sendable, Hashable {
    /// A responder of this node handled the event.
    case handled(by: NodePath)
    /// No responder above handled the event.
    case unhandled
    /// A responder threw or its node was lost, and no responder above handled or caught the error.
    case failed(Failure)
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// A responder threw; above it the error was handled, or was caught and its event handled.
    case caught(Failure, by: NodePath)
    /// The event was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)
}
