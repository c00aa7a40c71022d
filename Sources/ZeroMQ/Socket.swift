// SPDX-License-Identifier: Apache-2.0

package import CZeroMQ

/// A libzmq socket.
///
/// A socket belongs to one thread: it is created, used and closed on the same `SocketThread`. Sends
/// and receives do not block unless asked to: a full or empty queue is a result, and a refusal by
/// libzmq is an error. The socket closes when it goes out of scope; the linger option decides about
/// unsent messages.
package struct Socket: ~Copyable {
    package enum Kind: Sendable {
        case router, dealer, pair, pub, sub
    }

    package enum SendResult: Sendable {
        /// libzmq owns the frame now. It may still be lost with the connection.
        case sent
        /// The peer's queue is full; the frame was not taken.
        case wouldBlock
        /// The ROUTER has no such peer; the frame was not taken.
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

    /// Ends every connection made for this endpoint.
    package func disconnect(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_disconnect(handle, endpoint) == 0 else {
            throw ZeroMQError(during: "disconnect \(endpoint)")
        }
    }

    /// The endpoint last bound or connected, with wildcards resolved; empty before that.
    package var lastEndpoint: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            var size = buffer.count
            guard
                let start = buffer.baseAddress,
                zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, start, &size) == 0
            else { return "" }
            return String(cString: start)
        }
    }

    /// Publishes the events of the socket's connections to a PAIR bound at `inprocEndpoint`.
    ///
    /// libzmq's I/O thread, and with it every peer, waits for a reader that is behind: open a
    /// `SocketMonitor` on the endpoint before the first bind or connect, and keep reading it.
    /// `events` is a union of `SocketMonitor.Events` numbers.
    package func monitor(at inprocEndpoint: String, events: Int32) throws(ZeroMQError) {
        guard zmq_socket_monitor(handle, inprocEndpoint, events) == 0 else {
            throw ZeroMQError(during: "monitor at \(inprocEndpoint)")
        }
    }

    /// Ends the monitoring. A reader that asked for it gets a last event, `.stopped`.
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

    /// Sends a copy of the bytes; for the small frames that name a peer.
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

    /// Receives the next frame in place of the message's content. Returns `false`, with the message
    /// empty, if there is none.
    ///
    /// With `waiting` the call blocks until there is a frame; for a thread without other work.
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

    /// The result of a refused send according to errno; `nil` if a signal interrupted it.
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
