// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// A numeric option of a socket. Options of connections must be set before bind or connect.
package enum SocketOption: Sendable {
    /// Milliseconds that unsent messages outlive the socket; 0 drops them, -1 waits for ever.
    case linger
    /// Messages queued per peer before a send would block; 0 means no limit.
    case sendHighWaterMark, receiveHighWaterMark
    /// 1: a ROUTER returns `.unreachable` instead of dropping messages that it cannot route.
    case routerMandatory
    /// 1: a peer that claims a routing ID in use takes it over.
    case routerHandover
    /// Largest frame in bytes; the sender of a larger one is disconnected. -1 means no limit.
    case maxMessageSize
    /// Milliseconds that a peer has to finish the handshake.
    case handshakeInterval
    /// Milliseconds before connecting again, and the bound of their exponential growth (0: none).
    case reconnectInterval, reconnectIntervalMax
    /// Milliseconds before an attempt to connect on tcp is abandoned for another one.
    case connectTimeout
    /// 1: messages are queued only for connections that are established.
    case immediate
    /// Pending connections of a listening endpoint.
    case backlog
    /// An inherited, already listening descriptor that the next bind takes over.
    case useFileDescriptor
    /// Milliseconds; without effect on calls that do not wait.
    case sendTimeout, receiveTimeout
    /// Kernel buffer sizes in bytes; -1 leaves them to the kernel.
    case sendBuffer, receiveBuffer
    /// libzmq's own heartbeat, in milliseconds; 0 turns it off.
    case heartbeatInterval, heartbeatTimeout, heartbeatTimeToLive
    /// 1: no peer is admitted without a ZAP handler. A draft option that the library obeys.
    case zapEnforceDomain
    /// 1: this end verifies the other's CURVE key.
    case curveServer
    /// 1: IPv6 as well as IPv4.
    case ipv6
    /// 1: the kernel sends keep-alive probes on tcp.
    case tcpKeepalive

    var number: Int32 {
        switch self {
        case .linger: ZMQ_LINGER
        case .sendHighWaterMark: ZMQ_SNDHWM
        case .receiveHighWaterMark: ZMQ_RCVHWM
        case .routerMandatory: ZMQ_ROUTER_MANDATORY
        case .routerHandover: ZMQ_ROUTER_HANDOVER
        case .maxMessageSize: ZMQ_MAXMSGSIZE
        case .handshakeInterval: ZMQ_HANDSHAKE_IVL
        case .reconnectInterval: ZMQ_RECONNECT_IVL
        case .reconnectIntervalMax: ZMQ_RECONNECT_IVL_MAX
        case .connectTimeout: ZMQ_CONNECT_TIMEOUT
        case .immediate: ZMQ_IMMEDIATE
        case .backlog: ZMQ_BACKLOG
        case .useFileDescriptor: ZMQ_USE_FD
        case .sendTimeout: ZMQ_SNDTIMEO
        case .receiveTimeout: ZMQ_RCVTIMEO
        case .sendBuffer: ZMQ_SNDBUF
        case .receiveBuffer: ZMQ_RCVBUF
        case .heartbeatInterval: ZMQ_HEARTBEAT_IVL
        case .heartbeatTimeout: ZMQ_HEARTBEAT_TIMEOUT
        case .heartbeatTimeToLive: ZMQ_HEARTBEAT_TTL
        case .zapEnforceDomain: cascade_zap_enforce_domain
        case .curveServer: ZMQ_CURVE_SERVER
        case .ipv6: ZMQ_IPV6
        case .tcpKeepalive: ZMQ_TCP_KEEPALIVE
        }
    }
}

/// An option of a socket whose value is text or bytes.
package enum SocketTextOption: Sendable {
    /// The domain in requests to a ZAP handler; empty sends no requests.
    case zapDomain
    /// Z85 text of 40 characters.
    case curvePublicKey, curveSecretKey, curveServerKey
    /// The name by which a ROUTER at the other end identifies this socket; none by default.
    case routingID
    /// A prefix of the messages that a SUB receives; an empty one selects all.
    case subscribe

    var number: Int32 {
        switch self {
        case .zapDomain: ZMQ_ZAP_DOMAIN
        case .curvePublicKey: ZMQ_CURVE_PUBLICKEY
        case .curveSecretKey: ZMQ_CURVE_SECRETKEY
        case .curveServerKey: ZMQ_CURVE_SERVERKEY
        case .routingID: ZMQ_ROUTING_ID
        case .subscribe: ZMQ_SUBSCRIBE
        }
    }
}
