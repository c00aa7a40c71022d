// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import Synchronization
package import ZeroMQ

/// The socket of a worker, replaced whenever it becomes useless: messages that libzmq still queues
/// for a dead daemon must not reach its successor out of context.
///
/// Belongs to one thread.
package struct Connection: ~Copyable {
    package enum Change {
        case broken
        /// No process serves the endpoint.
        case foundNobody
        /// The bus rejected this side's key, or its own key is not the expected one.
        case turnedAway
    }

    private static let lastNumber = Atomic<UInt>(0)

    private var endpoint: String
    /// Whether to reconnect to this endpoint only: the caller named it, or it has served before.
    private var isEndpointKept: Bool
    private let context: Context
    private let keys: BusKeys?
    private var socket: Socket?
    private var monitor: SocketMonitor?
    private var outgoing = Message()
    private var incoming = Message()
    /// The maximum number of frames in one message, which bounds the wait for the last frame.
    private static let framesMax = 64
    private var frameCount = 0
    /// The header of the accept in ``outgoing``, if it holds one.
    private var waitingAccept: Header?
    /// Whether ``outgoing`` holds a frame that is still to be sent.
    private var hasOutgoing = false
    /// The number of failed handshakes, and whether one has succeeded.
    private var failedHandshakes = 0
    private var hasShakenHands = false

    /// Creates a connection to `endpoint`; with `nil`, to the bus that ``BusEndpoint/standard``
    /// finds when the connection is opened.
    package init(endpoint: String?, context: Context, keys: BusKeys? = nil) {
        self.endpoint = endpoint ?? BusEndpoint.standard
        isEndpointKept = endpoint != nil
        self.context = context
        self.keys = keys
    }

    /// Whether the peer or the network may fail without an error on the socket.
    var isRemote: Bool {
        endpoint.hasPrefix("tcp://")
    }

    /// Fixes the endpoint: the bus has accepted this side, and later connections go to the same
    /// bus.
    mutating func keepEndpoint() {
        isEndpointKept = true
    }

    /// Whether ``BusEndpoint/standard`` has changed and no bus has been named or has served yet.
    var isOutdated: Bool {
        !isEndpointKept && BusEndpoint.standard != endpoint
    }

    /// Creates and connects a socket. Throws `ZeroMQError` if the endpoint is invalid.
    package mutating func open() throws(ZeroMQError) {
        if !isEndpointKept {
            endpoint = BusEndpoint.standard
        }
        let socket = try Socket(.dealer, in: context)
        try socket.set(.linger, 200)
        try socket.set(.sendHighWaterMark, 0)
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.reconnectInterval, 20)
        try socket.set(.reconnectIntervalMax, 200)
        // In milliseconds. The kernel's retries would soon be half a minute apart.
        try socket.set(.connectTimeout, 2_000)
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        let address = "inproc://monitor-\(number)"
        try socket.monitor(
            at: address,
            events: SocketMonitor.Events.disconnected | SocketMonitor.Events.connectRetried
                | SocketMonitor.Events.handshakeFailed | SocketMonitor.Events.handshakeSucceeded)
        monitor = try SocketMonitor(at: address, in: context)
        try keys?.secure(socket)
        try socket.connect(endpoint)
        self.socket = consume socket
    }

    /// Closes the socket and discards its unsent messages: a greeting that arrived after the one of
    /// the next socket would make the daemon take the old connection for the new one.
    mutating func abandon() {
        switch socket {
        // A socket that rejects the option has nothing to send.
        case .some(let socket): try? socket.set(.linger, 0)
        case nil: break
        }
        close()
    }

    package mutating func close() {
        hasOutgoing = false
        // Before its reader is closed: libzmq's I/O thread would wait forever to send a monitor
        // event to a closed reader.
        switch socket {
        case .some(let socket): socket.stopMonitoring()
        case nil: break
        }
        monitor = nil
        socket = nil
    }

    /// The descriptors that wake the thread: those of the socket and of its monitor.
    package var pollItems: [PollItem] {
        var items: [PollItem] = []
        switch socket {
        case .some(let socket): items.append(.socket(socket))
        case nil: break
        }
        switch monitor {
        case .some(let monitor): items.append(monitor.pollItem)
        case nil: break
        }
        return items
    }

    // MARK: - Receiving

    /// Receives the next message and returns its header; `nil` if there is none. With `waiting`,
    /// waits for a message. Throws ``ConnectionError`` if the bytes are not a message.
    package mutating func receive(
        waiting: Bool = false
    ) throws(ConnectionError) -> Header? {
        do throws(ZeroMQError) {
            guard try receiveFrame(waiting: waiting) else {
                return nil
            }
        } catch {
            throw .socket(error)
        }
        do throws(WireError) {
            return try Header(parsing: incoming.bytes)
        } catch {
            throw .message(error)
        }
    }

    private mutating func receiveFrame(waiting: Bool) throws(ZeroMQError) -> Bool {
        switch socket {
        case .some(let socket):
            return try socket.receive(into: &incoming, waiting: waiting)
        case nil:
            return false
        }
    }

    /// The whole message that `receive` took last, valid until the next call.
    package var message: UnsafeRawBufferPointer {
        incoming.bytes
    }

    /// Returns the next change of the connection since the last call, if any.
    package mutating func change() throws(ZeroMQError) -> Change? {
        guard let event = try monitor?.next() else {
            return nil
        }
        switch event.kind {
        case .disconnected: return .broken
        case .handshakeFailedAuth: return .turnedAway
        case .handshakeFailed, .handshakeFailedProtocol:
            failedHandshakes += 1
            return isTurnedAway ? .turnedAway : try change()
        case .handshakeSucceeded:
            hasShakenHands = true
            return try change()
        default: return .foundNobody
        }
    }

    /// Whether the handshakes on tcp fail because of a wrong or missing key, which libzmq does not
    /// report as such. A daemon that stops during a handshake does not fail five times in a row.
    private var isTurnedAway: Bool {
        isRemote && !hasShakenHands && failedHandshakes >= 5
    }

    // MARK: - Sending

    // ``flush()`` sends the queued messages together, as the frames of one. Each waits only until
    // it is known whether another one follows.

    package mutating func send(_ header: Header, fields: [UInt8] = [], payload: [UInt8] = []) {
        dropAcceptBefore(header)
        beginFrame(byteCount: Header.byteCount + fields.count + payload.count)
        waitingAccept = header.command == .accept ? header : nil
        let bytes = outgoing.mutableBytes
        header.write(into: bytes)
        copy(fields, into: bytes, at: Header.byteCount)
        copy(payload, into: bytes, at: Header.byteCount + fields.count)
    }

    package mutating func send(_ message: [UInt8]) {
        beginFrame(byteCount: message.count)
        waitingAccept = nil
        copy(message, into: outgoing.mutableBytes, at: 0)
    }

    package mutating func flush() {
        if hasOutgoing {
            sendOutgoing(more: false)
        }
    }

    /// Drops an accept that would be sent together with its verdict, which implies it.
    private mutating func dropAcceptBefore(_ header: Header) {
        if let accept = waitingAccept, hasOutgoing, header.command == .verdict,
            header.id == accept.id, header.node == accept.node
        {
            hasOutgoing = false
        }
    }

    private mutating func beginFrame(byteCount: Int) {
        if hasOutgoing {
            frameCount += 1
            sendOutgoing(more: frameCount % Self.framesMax != 0)
        }
        outgoing.reset(byteCount: byteCount)
        hasOutgoing = true
    }

    /// A failed send equals a message lost with the connection: the session sends again what
    /// matters.
    private mutating func sendOutgoing(more: Bool) {
        hasOutgoing = false
        switch socket {
        case .some(let socket): _ = try? socket.send(&outgoing, more: more)
        case nil: break
        }
    }

    private func copy(
        _ source: [UInt8], into bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        guard !source.isEmpty else {
            return
        }
        source.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: source)
        }
    }
}
