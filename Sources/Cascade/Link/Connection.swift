// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import Synchronization
package import ZeroMQ

/// A worker's socket, made anew whenever the old one is of no use: what libzmq still had queued for
/// a dead daemon must not reach its successor out of context.
///
/// Belongs to one thread.
package struct Connection: ~Copyable {
    package enum Change {
        case broken
        /// Nobody serves the endpoint.
        case foundNobody
        /// Who serves it does not let this side in, or is not who it should be.
        case turnedAway
    }

    private static let lastNumber = Atomic<UInt>(0)

    private var endpoint: String
    /// Whether it is the bus to come back to: the one that was named, or that has served.
    private var isEndpointKept: Bool
    private let context: Context
    private let keys: BusKeys?
    private var socket: Socket?
    private var monitor: SocketMonitor?
    private var outgoing = Message()
    private var incoming = Message()
    /// Frames in one message, so that none waits long for the last.
    private static let framesMax = 64
    private var frameCount = 0
    /// What ``outgoing`` holds, if that is an accept.
    private var waitingAccept: Header?
    /// Whether ``outgoing`` waits to be sent.
    private var hasOutgoing = false
    /// Handshakes that have failed, and whether one has not.
    private var failedHandshakes = 0
    private var hasShakenHands = false

    /// - Parameter endpoint: the bus; with `nil`, the one that ``BusEndpoint/standard`` finds when
    ///   the connection is opened.
    package init(endpoint: String?, context: Context, keys: BusKeys? = nil) {
        self.endpoint = endpoint ?? BusEndpoint.standard
        isEndpointKept = endpoint != nil
        self.context = context
        self.keys = keys
    }

    /// Whether the peer, or the way to it, may vanish without a trace.
    var isRemote: Bool {
        endpoint.hasPrefix("tcp://")
    }

    /// The bus has let this side in: it comes back to this one, whichever others there are.
    mutating func keepEndpoint() {
        isEndpointKept = true
    }

    /// Whether nobody has named a bus, none has served yet, and there is another one to try by now.
    var isOutdated: Bool {
        !isEndpointKept && BusEndpoint.standard != endpoint
    }

    /// Makes a socket, where there is none any more. Throws `ZeroMQError` if the endpoint is none.
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
        // The kernel's own attempts would soon be half a minute apart.
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

    /// Closes the socket without what it still has to send: a greeting that arrived behind that of
    /// the next socket would make the daemon take the old connection for the new one.
    mutating func abandon() {
        switch socket {
        // A socket that cannot be told so has nothing to send.
        case .some(let socket): try? socket.set(.linger, 0)
        case nil: break
        }
        close()
    }

    package mutating func close() {
        hasOutgoing = false
        // Before its reader goes: libzmq's I/O thread would wait for ever to tell a reader that is
        // gone what becomes of the connection.
        switch socket {
        case .some(let socket): socket.stopMonitoring()
        case nil: break
        }
        monitor = nil
        socket = nil
    }

    /// What ends a sleep of the thread: the socket, and its monitor.
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

    /// Takes the next message; returns its header, or `nil` where there is none. With `waiting` it
    /// sleeps until there is one. Throws ``ConnectionError`` if it is no message.
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

    /// The whole message that `receive` took last; valid until the next one is taken.
    package var message: UnsafeRawBufferPointer {
        incoming.bytes
    }

    /// What happened to the connection since the last call, if anything.
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

    /// On tcp, who never gets through a handshake has the wrong key for the other side, or none
    /// where it wants one: libzmq does not say more. A daemon that stops in the middle of one does
    /// not do that again and again.
    private var isTurnedAway: Bool {
        isRemote && !hasShakenHands && failedHandshakes >= 5
    }

    // MARK: - Sending

    // Messages go out together, as the frames of one, when ``flush()`` is called: each waits only
    // for it to be known whether another one follows.

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

    /// A verdict that would go out together with the accept before it says as much as both.
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

    /// A send that fails is as good as one that is lost with the connection: the session sends
    /// again what matters.
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
