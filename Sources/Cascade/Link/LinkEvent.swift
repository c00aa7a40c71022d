// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// What a link has for its worker, in the order in which it happened.
package enum LinkEvent: Sendable {
    case welcomed(Welcome)
    case invoke(Invocation, Visit)
    /// A sign of life is wanted from where the responders run.
    case beat(UInt64)
    case detached(Detached)
    /// What a node reads of its environment, or the preferences below it, is something else now.
    case environment(NodePath, EnvironmentChanges)
    /// Whoever asked for what this invocation answers no longer waits.
    case cancelled(InvocationToken)
    /// The outcome of a durable event that an earlier session had triggered at a place that this
    /// one has now; told until ``Link/confirm(_:)``.
    case settledBefore(Settled)
    /// A node is at another path now.
    case moved(from: NodePath, to: NodePath)
    /// After a reconnect, a path was no longer to be had.
    case reattachRefused(CascadeError)
    /// The session is over.
    case violated(CascadeError)
    /// Nobody serves the endpoint, at the moment.
    case foundNobody
}

/// What becomes of a link's connection.
package enum LinkConnection: Sendable {
    /// It has broken, or is of no use any more; the link makes a new one.
    case lost
    /// The bus has let this side in: a first time, or again.
    case welcomed(Welcome)
}
