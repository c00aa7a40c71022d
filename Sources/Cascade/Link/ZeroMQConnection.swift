// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import Synchronization
package import ZeroMQ

/// A worker's connection over libzmq. Its socket is replaced whenever it cannot be used any more:
/// messages that libzmq still queues for an exited daemon must not reach the next daemon.
///
/// Belongs to one thread.
package struct ZeroMQConnection: WorkerConnection, ~Copyable {
    private static let lastNumber = Atomic<UInt>(0)

    /// The end of the connection, which is reported behind the last message: libzmq's monitor tells
    /// of it while messages may still wait in the socket, the outcomes of a stopping daemon among
    /// them.
    private enum Ending {
        case messagesMayWait, messagesReceived
    }

    package private(set) var endpoint: String
    /// Whether to reconnect to this endpoint only: the caller named it, or it has served before.
    private var isEndpointFixed: Bool
    private let context: Context
    private let keys: BusKeys?
    private var socket: Socket?
    private var monitor: SocketMonitor?
    /// Whether the next call of ``receive()`` waits.
    private var waitsForNext = false
    /// Whether a socket was opened since the last call of ``change()``.
    private var isOpened = false
    private var ending: Ending?
    private var outgoing = Message()
    private var incoming = Message()
    /// The maximum number of frames in one message, which bounds the wait for the last frame.
    private static let framesMax = 64
    private var frameCount = 0
    /// The header of the accept in ``outgoing``, if it holds one.
    private var queuedAccept: Header?
    /// Whether ``outgoing`` holds a frame that is still to be sent.
    private var hasOutgoing = false
    /// The number of failed handshakes, and whether one has succeeded.
    private var failedHandshakes = 0
    private var hasCompletedHandshake = false

    /// Creates a connection to `endpoint`; with `nil`, to the bus that ``BusEndpoint/standard``
    /// finds when the connection is opened.
    package init(endpoint: String?, context: Context, keys: BusKeys? = nil) {
        self.endpoint = endpoint ?? BusEndpoint.standard
        isEndpointFixed = endpoint != nil
        self.context = context
        self.keys = keys
    }

    package var isRemote: Bool {
        endpoint.hasPrefix("tcp://")
    }

    package mutating func fixEndpoint() {
        isEndpointFixed = true
    }

    package var isOutdated: Bool {
        !isEndpointFixed && BusEndpoint.standard != endpoint
    }

    package var retriesItself: Bool {
        true
    }

    /// Creates and connects a socket. libzmq queues messages until the connection is made.
    package mutating func open() throws {
        if !isEndpointFixed {
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
        isOpened = true
    }

    package mutating func abandon() {
        switch socket {
        // A socket that rejects the option has nothing to send.
        case .some(let socket): try? socket.set(.linger, 0)
        case nil: break
        }
        close()
    }

    package mutating func close() {
        hasOutgoing = false
        isOpened = false
        ending = nil
        // The monitoring stops before its reader is closed: otherwise libzmq's I/O thread would
        // wait forever to send a monitor event.
        switch socket {
        case .some(let socket): socket.stopMonitoring()
        case nil: break
        }
        monitor = nil
        socket = nil
    }

    package var hasWork: Bool {
        isOpened || ending != nil
    }

    package var nextDeadline: UInt64? {
        nil
    }

    package mutating func beginTurn(waiting: Bool) {
        waitsForNext = waiting
    }

    package mutating func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? {
        nil
    }

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

    package mutating func receive() throws(ConnectionError) -> Header? {
        while true {
            do throws(ZeroMQError) {
                guard try receiveFrame() else {
                    ending = ending.map { _ in .messagesReceived }
                    return nil
                }
            } catch {
                throw .socket(error)
            }
            if let header = try Header(received: incoming.bytes) {
                return header
            }
        }
    }

    private mutating func receiveFrame() throws(ZeroMQError) -> Bool {
        switch socket {
        case .some(let socket):
            defer { waitsForNext = false }
            return try socket.receive(into: &incoming, waiting: waitsForNext)
        case nil:
            return false
        }
    }

    package var message: UnsafeRawBufferPointer {
        incoming.bytes
    }

    package mutating func change() throws(ZeroMQError) -> ConnectionChange? {
        if isOpened {
            isOpened = false
            return .ready
        }
        if let ending {
            guard ending == .messagesReceived else {
                return nil
            }
            self.ending = nil
            return .broken
        }
        guard let event = try monitor?.next() else {
            return nil
        }
        switch event.kind {
        case .disconnected:
            ending = .messagesMayWait
            return nil
        case .handshakeFailedAuth: return .keyRejected
        case .handshakeFailed, .handshakeFailedProtocol:
            failedHandshakes += 1
            return isKeyRejected ? .keyRejected : try change()
        case .handshakeSucceeded:
            hasCompletedHandshake = true
            return try change()
        default: return .noBusFound
        }
    }

    /// Whether the handshakes on tcp fail because of a wrong or missing key, which libzmq does not
    /// report as such. A daemon that stops during a handshake does not fail five times in a row.
    private var isKeyRejected: Bool {
        isRemote && !hasCompletedHandshake && failedHandshakes >= 5
    }

    // MARK: - Sending

    // The messages sent before ``flush()`` are the frames of one libzmq message. Each frame waits
    // until the connection knows whether another frame follows.

    package mutating func send(_ header: Header, fields: [UInt8], payload: [UInt8]) {
        dropAcceptBefore(header)
        beginFrame(byteCount: Header.byteCount + fields.count + payload.count)
        queuedAccept = header.command == .accept ? header : nil
        let bytes = outgoing.mutableBytes
        header.write(into: bytes)
        copy(fields, into: bytes, at: Header.byteCount)
        copy(payload, into: bytes, at: Header.byteCount + fields.count)
    }

    package mutating func send(_ message: [UInt8]) {
        beginFrame(byteCount: message.count)
        queuedAccept = nil
        copy(message, into: outgoing.mutableBytes, at: 0)
    }

    package mutating func flush() {
        if hasOutgoing {
            sendOutgoing(more: false)
        }
    }

    /// Drops an accept that would be sent together with its verdict, which implies it.
    private mutating func dropAcceptBefore(_ header: Header) {
        if let accept = queuedAccept, hasOutgoing, header.command == .verdict,
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

    /// Sends ``outgoing``. A failed send is a message lost with the connection: the session
    /// resends what matters.
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
