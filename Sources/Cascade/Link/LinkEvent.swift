// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// An event of the link for its worker, in order.
package enum LinkEvent: Sendable {
    case welcomed(Welcome)
    case invoke(Invocation, Visit)
    /// The daemon requests a beat, to be answered through the executor of the responders.
    case beat(UInt64)
    case detached(Detached)
    /// The environment of a node, or the preferences of its subtree, have changed.
    case environment(NodePath, EnvironmentChanges)
    /// The requester of this invocation no longer waits for its reply.
    case cancelled(InvocationToken)
    /// The outcome of a durable event that an earlier session triggered at a place that this
    /// session holds now. The bus repeats it until ``Link/confirm(_:)``.
    case settledBefore(Settled)
    /// A node has a new path.
    case moved(from: NodePath, to: NodePath)
    /// A path could not be attached again after a reconnect.
    case reattachRefused(CascadeError)
    /// The session has ended.
    case violated(CascadeError)
    /// No process serves the endpoint at the moment.
    case foundNobody
}

/// The state of a link's connection.
package enum LinkConnection: Sendable {
    /// The connection has broken or is useless; the link makes a new one.
    case lost
    /// The bus has accepted this side, for the first time or again.
    case welcomed(Welcome)
}
