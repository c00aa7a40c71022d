// SPDX-License-Identifier: Apache-2.0

package import ZMTP

/// An event that a transport reports to its owner.
package enum TransportEvent: Equatable, Sendable {
    /// The handshake of a connection is complete, and messages may be sent.
    case connected(ConnectionID)

    /// A message, whose frames ``Transport/nextFrame(_:)`` returns until the next event is asked for.
    case message(ConnectionID, Message)

    /// A connection that was reported as connected, or that was opened from here, has ended. Its ID
    /// is no longer valid.
    case disconnected(ConnectionID, PeerCredentials, DisconnectReason)

    /// An accepted connection was closed before it was reported as connected.
    case refused(PeerCredentials, RefusalReason)

    /// A connection has sent its first command that ZMTP does not define. It has no effect, and nor have
    /// the next ones, which are not reported.
    case unknownCommand(PeerCredentials, name: String)

    /// A connection that the owner has closed was removed at the end of its linger time, and these bytes
    /// were dropped.
    case unwritten(PeerCredentials, byteCount: Int)

    /// A connection was closed because the descriptors have run out.
    case descriptorsExhausted

    /// Connections cannot be accepted for now, for a reason other than descriptors. Reported once for each
    /// reason; the transport tries again.
    case acceptFailed(SystemError)

    /// A listener accepts no more connections: a process that shares its socket has shut it down.
    case listenerEnded(path: String?)

    /// A descriptor that the owner has added is readable.
    case readable(token: UInt32)
}

/// Why a connection has ended that the owner of the transport has not closed.
package enum DisconnectReason: Equatable, Sendable, CustomStringConvertible {
    /// The peer has closed the connection between two messages.
    case closedByPeer

    case fault(Fault)

    /// The user's bytes exceed ``AdmissionLimits/heldByteCountPerUser``, and this connection has received
    /// the last of them.
    case tooManyHeldBytes(limit: Int)

    /// The bytes of all users exceed ``AdmissionLimits/heldByteCountTotal``. The user has the most of
    /// them, and this connection has the most of the user.
    case tooManyHeldBytesInTotal(limit: Int)

    package var description: String {
        switch self {
        case .closedByPeer: "the peer closed the connection"
        case .fault(let fault): fault.description
        case .tooManyHeldBytes(let limit):
            "unfinished messages of the user exceed the limit of \(limit) bytes"
        case .tooManyHeldBytesInTotal(let limit):
            "unfinished messages of all users exceed the limit of \(limit) bytes, and it has the most"
        }
    }
}

/// Why a connection was closed before its handshake was complete.
package enum RefusalReason: Equatable, Sendable, CustomStringConvertible {
    case limit(AdmissionRefusal)
    case ended(DisconnectReason)

    /// Its handshake took long, and a newer connection of the user took its place.
    case replaced

    package var description: String {
        switch self {
        case .limit(let refusal): refusal.description
        case .ended(let reason): reason.description
        case .replaced: "a newer connection of the user took its place"
        }
    }
}

/// The settings common to all connections of a transport.
package struct TransportConfiguration: Sendable {
    /// The role, the socket type and the limits of what a peer may send.
    package var connection: ConnectionConfiguration

    package var admission: AdmissionLimits

    /// How long a connection that the owner has closed may take to write what was sent.
    package var lingerDuration: Duration

    /// Frames that one turn delivers. With more, a burst takes fewer system calls; with fewer, what the
    /// frames cause is written sooner.
    package var framesPerTurn: Int

    package init(
        limits: ConnectionLimits = ConnectionLimits(), admission: AdmissionLimits,
        framesPerTurn: Int = 256, lingerDuration: Duration = .milliseconds(500)
    ) {
        connection = ConnectionConfiguration(role: .server, socketType: .router, limits: limits)
        self.admission = admission
        self.framesPerTurn = framesPerTurn
        self.lingerDuration = lingerDuration
    }
}
