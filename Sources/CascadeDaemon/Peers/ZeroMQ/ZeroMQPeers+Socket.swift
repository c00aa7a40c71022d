// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// libzmq, where the daemon uses it: its context, and what the broker's and the guard's thread share.
struct Libzmq: Sendable {
    let context: Context
    let activity = ConnectionActivity()
}

extension ZeroMQPeers {
    /// Opens the daemon's ROUTER, and binds it to the endpoints.
    ///
    /// - Parameters:
    ///   - key: secures the endpoints on tcp; `nil` for plain tcp.
    ///   - onlyTCP: whether the unix sockets are served by ``LocalPeers``.
    convenience init(
        serving endpoint: Endpoint, _ configuration: BrokerConfiguration, _ libzmq: Libzmq,
        key: ServerKey?, onlyTCP: Bool
    ) throws {
        let socket = try Self.socket(configuration, in: libzmq.context)
        let allocation = try RoutingIDAllocation(of: socket, in: libzmq.context, libzmq.activity)
        try endpoint.bind(socket, with: key, onlyTCP: onlyTCP)
        self.init(socket, allocation, libzmq.activity)
    }

    private static func socket(
        _ configuration: BrokerConfiguration, in context: Context
    ) throws(ZeroMQError) -> Socket {
        let limits = configuration.limits
        let socket = try Socket(.router, in: context)
        // The broker refuses a message over the limit with an error; libzmq closes the connection
        // of one far over it. This bounds a frame, not a message of many frames.
        try socket.set(.maxMessageSize, Int32(clamping: limits.messageBytes * 2))
        // A send to an unknown routing ID fails instead of being dropped. The failure shows at the
        // frame that names the peer.
        try socket.set(.routerMandatory, 1)
        // A connection cannot take over the routing ID of another one.
        try socket.set(.routerHandover, 0)
        // Credit bounds the receive queue; a limit in libzmq would drop messages of a closed
        // connection.
        try socket.set(.receiveHighWaterMark, 0)
        // Credit bounds the send queue, too. Frames beyond this limit wait in the outbox, which
        // counts their bytes: libzmq queues at most this many messages of 32 KiB, or large frames.
        try socket.set(.sendHighWaterMark, 32)
        // libzmq's own heartbeat closes healthy connections whose peers are slow to read, and its
        // I/O thread answers for a process that hangs. The bus has a heartbeat of its own.
        try socket.set(.heartbeatInterval, 0)
        // Bounds the whole ZMTP handshake, however slowly the peer continues it.
        try socket.set(.handshakeInterval, Int32(clamping: configuration.greetingMilliseconds))
        // libzmq asks the authenticator about every connection and refuses it without an answer.
        // With a domain set, libzmq also refuses protocols older than ZMTP 3.
        try socket.set(.zapDomain, Authenticator.domain)
        try socket.set(.zapEnforceDomain, 1)
        // After a restart all peers connect at once; a peer that finds the queue full tries again
        // later. The kernel has a bound of its own (net.core.somaxconn).
        try socket.set(.backlog, 4_096)
        // All peers have been dismissed by then; a peer that does not read must not delay the end.
        try socket.set(.linger, 500)
        try socket.monitor(at: ConnectionGuard.endpoint, events: ConnectionGuard.events)
        return socket
    }
}
