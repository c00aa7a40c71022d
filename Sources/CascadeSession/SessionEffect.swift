// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An action for the connection or the worker that follows from an input of the session. Rare cases
/// are indirect, so that frequent ones stay small.
package enum SessionEffect: Sendable {
    // For the connection.
    case send(Header)
    case sendMessage([UInt8])
    /// A header, fields and a payload to send as one message.
    case sendRaised(Header, fields: [UInt8], payload: [UInt8])
    /// Replace the connection, which is useless.
    case reconnect

    // For the worker.
    indirect case welcomed(Welcome)
    case invoke(Invocation)
    /// The outcome of the message with the header's sequence number: an ``OutcomeMessage``, whose message is
    /// empty if the header says everything.
    case ended(Header, message: [UInt8])
    /// The durable event with this number is on the bus's disk.
    case accepted(sequence: UInt64)
    /// The outcome of a durable event of this session.
    indirect case settled(Settled)
    /// The outcome of a durable event that an earlier session triggered at a place that this
    /// session holds now. The daemon repeats it until ``Session/confirm(_:into:)``.
    indirect case settledBefore(Settled)
    /// The bus refused the message with this number, which ends it.
    indirect case raiseRefused(sequence: UInt64, Refused)
    case attached(request: UInt64)
    case done(request: UInt64)
    indirect case refused(request: UInt64, Refused)
    indirect case detached(Detached)
    case answered(request: UInt64, message: [UInt8])
    /// The daemon requests a beat from the executor of the responders, to be answered through
    /// ``Session/beatAnswered(_:into:)``.
    case beat(UInt64)
    /// The requester of this invocation no longer waits for its reply.
    case cancelled(InvocationToken)
    /// A node of this session has a new path.
    indirect case moved(from: NodePath, to: NodePath)
    /// The environment of a node, or the preferences of its subtree, have changed.
    indirect case environment(NodePath, EnvironmentChanges)
    /// Credit is available again.
    case creditReturned
    /// The daemon ended the session for this violation.
    indirect case violated(Violation)
}
