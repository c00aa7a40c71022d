// SPDX-License-Identifier: Apache-2.0

/// How an event ended. Whoever triggered it learns exactly one of these.
public enum Outcome: Sendable, Hashable {
    /// A responder of this node handled it.
    case handled(by: NodePath)
    /// Nobody above did.
    case unhandled
    /// A responder threw, or its node was lost, and nobody above took care of that.
    case failed(Failure)
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// A responder threw, and above it the error was handled, or caught and its event handled.
    case caught(Failure, by: NodePath)
    /// It was not declared where strict safety asks for it.
    case rejected(Failure)
    /// It had more causes than the bus allows.
    case looped(Failure)
}
