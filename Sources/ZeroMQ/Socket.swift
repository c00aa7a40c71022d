// SPDX-License-Identifier: Apache-2.0

package import CZeroMQ

/// A libzmq socket.
///
/// A socket belongs to one thread: it is created, used and closed on the same `SocketThread`. Sends and
/// receives do not block unless an argument requests it: a full or empty queue is a result, and a
/// refusal by libzmq is an error. The end of the value's lifetime closes the socket; the linger option
/// decides about unsent messages.
package struct Socket: ~Copyable {
    package enum Kind: Sendable {
        case router, dealer, pair, pub, sub
    }

    package enum SendResult: Sendable {
        /// libzmq owns the frame. It may still be lost with the connection.
        case sent
        /// The frame was not sent, because the peer's queue is full.
        case wouldBlock
        /// The frame was not sent, because the ROUTER has no such peer.
        case unreachable
    }

    @usableFromInline
    package let handle: UnsafeMutableRawPointer
    private let context: Context

    /// Creates a socket. Throws `ZeroMQError` at the limit of sockets, or after the context's
    /// shutdown.
    package init(_ kind: Kind, in context: Context) throws(ZeroMQError) {
        self.handle = try context.makeSocket(type: kind.number)
        self.context = context
    }

    deinit { zmq_close(handle) }

    // MARK: - Settings and endpoints

    /// Sets a numeric option. Throws `ZeroMQError` if libzmq refuses the value.
    package func set(_ option: SocketOption, _ value: Int32) throws(ZeroMQError) {
        let result: Int32
        if option == .maxMessageSize {
            var wide = Int64(value)
            result = zmq_setsockopt(handle, option.number, &wide, MemoryLayout<Int64>.size)
        } else {
            var value = value
            result = zmq_setsockopt(handle, option.number, &value, MemoryLayout<Int32>.size)
        }
        guard result == 0 else { throw ZeroMQError(during: "set \(option) to \(value)") }
    }

    /// Sets a text option. Errors do not contain the value, which may be a secret.
    package func set(_ option: SocketTextOption, _ value: String) throws(ZeroMQError) {
        var value = value
        let result = value.withUTF8 {
            zmq_setsockopt(handle, option.number, $0.baseAddress ?? Self.noBytes, $0.count)
        }
        guard result == 0 else { throw ZeroMQError(during: "set \(option)") }
    }

    /// Listens at an endpoint. Throws `ZeroMQError` if the endpoint is invalid or in use.
    package func bind(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_bind(handle, endpoint) == 0 else { throw ZeroMQError(during: "bind \(endpoint)") }
    }

    /// Connects to an endpoint in the background, and reconnects when the connection ends. Throws
    /// `ZeroMQError` if the endpoint is invalid.
    package func connect(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_connect(handle, endpoint) == 0 else {
            throw ZeroMQError(during: "connect \(endpoint)")
        }
    }

    /// Closes the connections to an endpoint.
    package func disconnect(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_disconnect(handle, endpoint) == 0 else {
            throw ZeroMQError(during: "disconnect \(endpoint)")
        }
    }

    /// Publishes the events of the socket's connections to a PAIR bound at `inprocEndpoint`.
    ///
    /// If events are not read, libzmq's I/O thread blocks, and all peers with it. Create a `SocketMonitor`
    /// for the endpoint before the first bind or connect, and read it continuously. `events` is a union
    /// of `SocketMonitor.Events` numbers.
    package func monitor(at inprocEndpoint: String, events: Int32) throws(ZeroMQError) {
        guard zmq_socket_monitor(handle, inprocEndpoint, events) == 0 else {
            throw ZeroMQError(during: "monitor at \(inprocEndpoint)")
        }
    }

    /// Ends the monitoring. The last event is `.stopped`, if the monitor requested it.
    package func stopMonitoring() {
        zmq_socket_monitor(handle, nil, 0)
    }

    // MARK: - Messages

    /// Sends the frame. On `.sent` the message is empty, otherwise it is unchanged.
    @inlinable
    package func send(
        _ message: inout Message, more: Bool = false
    ) throws(ZeroMQError) -> SendResult {
        try send(slot: message.slot, more: more)
    }

    /// Sends a copy of the bytes. It suits the small frames that identify a peer.
    @inlinable
    package func send(
        bytes: UnsafeRawBufferPointer, more: Bool = false
    ) throws(ZeroMQError) -> SendResult {
        let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
        while true {
            if zmq_send(handle, bytes.baseAddress, bytes.count, flags) >= 0 { return .sent }
            if let result = try sendRefused() { return result }
        }
    }

    /// Receives the next frame into a message, and replaces its content. Returns `false`, with the message
    /// empty, if the queue is empty.
    ///
    /// With `waiting` the call blocks until a frame arrives. Use it only on a thread without other work.
    @inlinable
    package func receive(
        into message: inout Message, waiting: Bool = false
    ) throws(ZeroMQError) -> Bool {
        while true {
            let flags = waiting ? 0 : ZMQ_DONTWAIT
            if zmq_msg_recv(message.slot, handle, flags) >= 0 { return true }
            switch zmq_errno() {
            case EAGAIN: return false
            case EINTR: continue
            default: throw ZeroMQError(during: "receive")
            }
        }
    }

    @inlinable
    func send(
        slot: UnsafeMutablePointer<zmq_msg_t>, more: Bool
    ) throws(ZeroMQError) -> SendResult {
        let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
        while true {
            if zmq_msg_send(slot, handle, flags) >= 0 { return .sent }
            if let result = try sendRefused() { return result }
        }
    }

    /// Returns the result of a refused send according to `errno`; `nil` if a signal interrupted it.
    @usableFromInline
    func sendRefused() throws(ZeroMQError) -> SendResult? {
        switch zmq_errno() {
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unreachable
        case EINTR: return nil
        default: throw ZeroMQError(during: "send")
        }
    }

    /// A non-null address for zero bytes: libzmq refuses a null pointer.
    private static var noBytes: UnsafePointer<UInt8> {
        UnsafePointer(bitPattern: MemoryLayout<Int>.alignment).unsafelyUnwrapped
    }
}

@available(*, unavailable)
extension Socket: Sendable {}

extension Socket.Kind {
    fileprivate var number: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .pair: ZMQ_PAIR
        case .pub: ZMQ_PUB
        case .sub: ZMQ_SUB
        }
    }
}

/// A numeric option of a socket (zmq_setsockopt(3)). Options of connections must be set before bind or
/// connect.
package enum SocketOption: Sendable {
    /// The time for which unsent messages outlive the socket, in milliseconds; 0 drops them, -1 means no
    /// limit.
    case linger
    /// The number of messages that are queued per peer before a send would block; 0 means no limit.
    case sendHighWaterMark, receiveHighWaterMark
    /// 1: a ROUTER returns `.unreachable` instead of dropping messages that it cannot route.
    case routerMandatory
    /// 1: a peer that claims a routing ID in use takes it over.
    case routerHandover
    /// The largest frame in bytes; the sender of a larger one is disconnected. -1 means no limit.
    case maxMessageSize
    /// The time in which a peer must complete the handshake, in milliseconds.
    case handshakeInterval
    /// The time before a reconnect, and the upper bound of its exponential growth (0 for none), in
    /// milliseconds.
    case reconnectInterval, reconnectIntervalMax
    /// The time before an attempt to connect on tcp is abandoned for another one, in milliseconds.
    case connectTimeout
    /// 1: messages are queued only for established connections.
    case immediate
    /// The maximum number of pending connections of a listening endpoint.
    case backlog
    /// An inherited listening descriptor that the next bind uses.
    case useFileDescriptor
    /// The time limits of calls that wait, in milliseconds.
    case sendTimeout, receiveTimeout
    /// The sizes of the kernel's buffers in bytes; -1 for the kernel's default.
    case sendBuffer, receiveBuffer
    /// The times of libzmq's own heartbeat, in milliseconds; 0 disables it.
    case heartbeatInterval, heartbeatTimeout, heartbeatTimeToLive
    /// 1: no peer is admitted without a ZAP handler. A draft option, which the library supports.
    case zapEnforceDomain
    /// 1: this end verifies the CURVE key of the other end.
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
    /// The domain in requests to a ZAP handler. No requests are sent with an empty one.
    case zapDomain
    /// A CURVE key as Z85 text of 40 characters.
    case curvePublicKey, curveSecretKey, curveServerKey
    /// The routing ID of this socket for a ROUTER at the other end; none by default.
    case routingID
    /// A prefix of the messages that a SUB receives. An empty one selects all messages.
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
