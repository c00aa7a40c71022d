// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An action that the session's driver must perform. Rare cases are indirect, so that frequent ones stay
/// small.
package enum SessionEffect: Sendable {
    // For the connection.
    case send(Header)
    case sendMessage([UInt8])
    /// A header, fields and a payload to send as one message.
    case sendRaised(Header, fields: [UInt8], payload: [UInt8])
    /// Close the connection, and open a new one.
    case reconnect

    // For the worker.
    indirect case welcomed(Welcome)
    case invoke(Invocation)
    /// The outcome of the message with the header's sequence number. `message` is the whole
    /// `OutcomeMessage`, or empty if it has nothing but the header.
    case ended(Header, message: [UInt8])
    /// The bus has accepted the durable event with this number.
    case accepted(sequence: UInt64)
    /// The outcome of a durable event of this session.
    indirect case settled(Settled)
    /// The outcome of a durable event that an earlier session triggered at a place that this session
    /// holds. The daemon repeats it until ``Session/confirm(_:into:)``.
    indirect case settledBefore(Settled)
    /// The bus has refused the message with this number. No outcome follows.
    indirect case raiseRefused(sequence: UInt64, Refused)
    case attached(request: UInt64)
    case done(request: UInt64)
    indirect case refused(request: UInt64, Refused)
    indirect case detached(Detached)
    case answered(request: UInt64, message: [UInt8])
    /// A beat of the daemon. The executor of the responders must answer it through
    /// ``Session/beatAnswered(_:into:)``.
    case beat(UInt64)
    /// The requester of this invocation no longer waits for its reply.
    case cancelled(InvocationToken)
    /// A node of this session has a new path.
    indirect case moved(from: NodePath, to: NodePath)
    /// The environment of a node, or the preferences of its subtree, have changed.
    indirect case environment(NodePath, EnvironmentChanges)
    /// ``Session/canRaise`` may have become true.
    case creditReturned
    /// The daemon has ended the session because of this violation.
    indirect case violated(Violation)
}
