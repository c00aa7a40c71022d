// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// The reader of a socket's connection events.
///
/// It belongs to the thread that created it, which need not be that of the monitored socket. By default
/// its queue is unbounded, because a full queue would block libzmq's I/O thread.
package struct SocketMonitor: ~Copyable {
    package struct Event: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            case connected, connectDelayed, connectRetried
            case listening, bindFailed
            case accepted, acceptFailed
            case closed, closeFailed, disconnected
            case handshakeSucceeded, handshakeFailed, handshakeFailedProtocol, handshakeFailedAuth
            /// The last event, if the monitor requested it: the monitored socket was closed, or the
            /// monitoring stopped.
            case stopped
            case other(UInt16)
        }

        package let kind: Kind
        /// A descriptor, an `errno`, an interval or a reason, depending on the kind.
        package let value: Int32

        package init(kind: Kind, value: Int32) {
            self.kind = kind
            self.value = value
        }

        /// The connection's descriptor, if the event has one. After `.closed` and `.disconnected`
        /// the kernel may reuse the number.
        package var fileDescriptor: Int32? {
            switch kind {
            case .connected, .accepted, .listening, .closed, .disconnected: value
            default: nil
            }
        }
    }

    /// The numbers for the `events` of `Socket.monitor`, to be combined with `|`.
    package enum Events {
        package static let all = ZMQ_EVENT_ALL
        package static let accepted = ZMQ_EVENT_ACCEPTED
        package static let connected = ZMQ_EVENT_CONNECTED
        package static let connectRetried = ZMQ_EVENT_CONNECT_RETRIED
        package static let disconnected = ZMQ_EVENT_DISCONNECTED
        package static let stopped = ZMQ_EVENT_MONITOR_STOPPED
        package static let handshakeSucceeded = ZMQ_EVENT_HANDSHAKE_SUCCEEDED
        package static let handshakeFailed =
            ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    }

    private let socket: Socket
    private var frame = Message()

    /// Creates the reader for an endpoint of `Socket.monitor`, which may be called before or after.
    /// libzmq's I/O thread blocks when `unreadMax` events, and a thousand more, have not been read; 0 means
    /// no limit.
    package init(
        at inprocEndpoint: String, in context: Context, unreadMax: Int32 = 0
    ) throws(ZeroMQError) {
        let socket = try Socket(.pair, in: context)
        try socket.set(.linger, 0)
        try socket.set(.receiveHighWaterMark, unreadMax)
        try socket.connect(inprocEndpoint)
        self.socket = socket
    }

    /// The item for a poller on the monitor's own thread.
    package var pollItem: PollItem { .socket(socket) }

    /// Reads the next event. Returns `nil` if the queue is empty.
    package mutating func next() throws(ZeroMQError) -> Event? {
        guard try socket.receive(into: &frame) else { return nil }
        let bytes = frame.bytes
        precondition(bytes.count == 6, "libzmq's monitor events are 6 bytes")
        let number = bytes.loadUnaligned(as: UInt16.self)
        let value = bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self)
        while frame.hasMore, try socket.receive(into: &frame) {}
        return Event(kind: Event.Kind(number: number), value: value)
    }
}

extension SocketMonitor.Event.Kind {
    fileprivate init(number: UInt16) {
        self =
            switch Int32(number) {
            case ZMQ_EVENT_CONNECTED: .connected
            case ZMQ_EVENT_CONNECT_DELAYED: .connectDelayed
            case ZMQ_EVENT_CONNECT_RETRIED: .connectRetried
            case ZMQ_EVENT_LISTENING: .listening
            case ZMQ_EVENT_BIND_FAILED: .bindFailed
            case ZMQ_EVENT_ACCEPTED: .accepted
            case ZMQ_EVENT_ACCEPT_FAILED: .acceptFailed
            case ZMQ_EVENT_CLOSED: .closed
            case ZMQ_EVENT_CLOSE_FAILED: .closeFailed
            case ZMQ_EVENT_DISCONNECTED: .disconnected
            case ZMQ_EVENT_MONITOR_STOPPED: .stopped
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: .handshakeFailed
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .handshakeSucceeded
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: .handshakeFailedProtocol
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: .handshakeFailedAuth
            default: .other(number)
            }
    }
}
