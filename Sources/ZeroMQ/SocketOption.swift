// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// A numeric option of a socket. Those that shape connections must be set before bind or connect.
package enum SocketOption: Sendable {
    /// Milliseconds that unsent messages outlive the socket; 0 drops them, -1 waits for ever.
    case linger
    /// Messages queued per peer before a send would block; 0 means no limit.
    case sendHighWaterMark, receiveHighWaterMark
    /// 1: a ROUTER says `.unreachable` instead of dropping what it can't route.
    case routerMandatory
    /// 1: a peer that claims a routing id in use takes it over.
    case routerHandover
    /// Largest frame in bytes; its sender is disconnected beyond it; -1 means no limit.
    case maxMessageSize
    /// Milliseconds a peer has to finish the handshake.
    case handshakeInterval
    /// Milliseconds before connecting again, and the bound of its exponential growth (0: none).
    case reconnectInterval, reconnectIntervalMax
    /// Milliseconds before an attempt to connect on tcp is given up for another one.
    case connectTimeout
    /// 1: messages are queued for finished connections only.
    case immediate
    /// Pending connections of a listening endpoint.
    case backlog
    /// An inherited, already listening descriptor that the next bind takes over.
    case useFileDescriptor
    /// Milliseconds; without effect here, where every send and receive returns at once.
    case sendTimeout, receiveTimeout
    /// Kernel buffer sizes in bytes; -1 leaves them to the kernel.
    case sendBuffer, receiveBuffer
    /// libzmq's own beat, in milliseconds; 0 is off.
    case heartbeatInterval, heartbeatTimeout, heartbeatTimeToLive
    /// 1: without a ZAP handler nobody is admitted. A draft option that is obeyed all the same.
    case zapEnforceDomain
    /// 1: this end checks the other's CURVE key.
    case curveServer
    /// 1: IPv6 as well as IPv4.
    case ipv6
    /// 1: keep-alive probes of the kernel on tcp.
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
    /// The name under which a ZAP handler is asked about a peer; empty asks nobody.
    case zapDomain
    /// Z85 text of 40 characters.
    case curvePublicKey, curveSecretKey, curveServerKey
    /// The name by which a ROUTER at the other end knows this one; none by default.
    case routingID
    /// A prefix that a SUB lets through; empty lets everything through.
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
