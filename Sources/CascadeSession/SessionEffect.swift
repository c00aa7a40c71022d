// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What follows from what happened to a session: for its connection to send, or for its worker to
/// do. Rare cases are boxed, so that the frequent ones stay small.
package enum SessionEffect: Sendable {
    // For the connection.
    case send(Header)
    case sendMessage([UInt8])
    /// A header, fields and a payload that go into one message.
    case sendRaised(Header, fields: [UInt8], payload: [UInt8])
    /// The connection is of no use any more; make a new one.
    case reconnect

    // For the worker.
    indirect case welcomed(Welcome)
    case invoke(Invocation)
    /// The one outcome of what was raised under the header's sequence number: an ``Ended``, of
    /// which the message is empty where the header says it all.
    case ended(Header, message: [UInt8])
    /// The durable event with this number is on the bus's disk.
    case accepted(sequence: UInt64)
    /// The one outcome of a durable event of this session.
    indirect case settled(Settled)
    /// The outcome of a durable event that an earlier session had triggered, at a place that this
    /// one has now. It is told until ``Session/confirm(_:into:)``.
    indirect case settledBefore(Settled)
    /// What was raised under this number was refused; that is its end.
    indirect case raiseRefused(sequence: UInt64, Refused)
    case attached(request: UInt64)
    case done(request: UInt64)
    indirect case refused(request: UInt64, Refused)
    indirect case detached(Detached)
    case answered(request: UInt64, message: [UInt8])
    /// The daemon wants a sign of life from where the responders run; it goes back through
    /// ``Session/beatAnswered(_:into:)``.
    case beat(UInt64)
    /// Whoever asked for what this invocation answers no longer waits.
    case cancelled(InvocationToken)
    /// A node of this session is at another path now.
    indirect case moved(from: NodePath, to: NodePath)
    /// What a node reads of its environment, or the preferences below it, is something else now.
    indirect case environment(NodePath, EnvironmentChanges)
    /// There is credit again.
    case creditReturned
    /// The daemon ended the session, and why.
    indirect case violated(Violation)
}
