// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import Glibc
package import ZeroMQ

/// A worker's socket, made anew whenever the old one is of no use: what libzmq still had queued for
/// a dead daemon must not reach its successor out of context.
///
/// Belongs to one thread.
package final class Connection {
    package enum Change {
        case broken
        /// Nobody serves the endpoint.
        case foundNobody
    }

    private let endpoint: String
    private let context: Context
    private var socket: Socket?
    private var monitor: SocketMonitor?
    private var outgoing = Message()
    private var incoming = Message()
    private var next = Message()
    private var number = 0

    package init(endpoint: String, context: Context) {
        self.endpoint = endpoint
        self.context = context
    }

    /// Makes a new socket. Throws `ZeroMQError` if the endpoint is none.
    package func open() throws(ZeroMQError) {
        close()
        number += 1
        let socket = try Socket(.dealer, in: context)
        try socket.set(.linger, 200)
        try socket.set(.sendHighWaterMark, 0)
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.reconnectInterval, 20)
        try socket.set(.reconnectIntervalMax, 200)
        let address = "inproc://monitor-\(UInt(bitPattern: ObjectIdentifier(self)))-\(number)"
        try socket.monitor(
            at: address,
            events: SocketMonitor.Events.disconnected | SocketMonitor.Events.connectRetried)
        monitor = try SocketMonitor(at: address, in: context)
        try socket.connect(endpoint)
        self.socket = consume socket
    }

    package func close() {
        monitor = nil
        socket = nil
    }

    /// What ends a sleep of the thread.
    package var pollItems: [PollItem] {
        var items: [PollItem] = []
        if let item = socketItem {
            items.append(item)
        }
        if let item = monitor?.pollItem {
            items.append(item)
        }
        return items
    }

    private var socketItem: PollItem? {
        switch socket {
        case .some(let socket): .socket(socket)
        case nil: nil
        }
    }

    // MARK: - Receiving

    /// Takes the next message. Returns `nil` where there is none.
    package func receive() throws(ZeroMQError) -> (message: [UInt8], itinerary: [UInt8]?)? {
        guard try receive(into: &incoming) else {
            return nil
        }
        let message = Array(incoming.bytes)
        guard incoming.hasMore else {
            return (message, nil)
        }
        var itinerary: [UInt8]?
        repeat {
            guard try receive(into: &next) else {
                break
            }
            itinerary = itinerary ?? Array(next.bytes)
        } while next.hasMore
        return (message, itinerary)
    }

    private func receive(into message: inout Message) throws(ZeroMQError) -> Bool {
        switch socket {
        case .some(let socket): try socket.receive(into: &message)
        case nil: false
        }
    }

    /// What happened to the connection since the last call, if anything.
    package func change() throws(ZeroMQError) -> Change? {
        guard let event = try monitor?.next() else {
            return nil
        }
        return event.kind == .disconnected ? .broken : .foundNobody
    }

    // MARK: - Sending

    package func send(_ header: Header, fields: [UInt8] = [], payload: [UInt8] = []) {
        outgoing.reset(byteCount: Header.byteCount + fields.count + payload.count)
        let bytes = outgoing.mutableBytes
        header.write(into: bytes)
        copy(fields, into: bytes, at: Header.byteCount)
        copy(payload, into: bytes, at: Header.byteCount + fields.count)
        flush()
    }

    package func send(_ message: [UInt8]) {
        outgoing.reset(byteCount: message.count)
        copy(message, into: outgoing.mutableBytes, at: 0)
        flush()
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

    /// A send that fails is as good as one that is lost with the connection: the session sends again
    /// what matters.
    private func flush() {
        switch socket {
        case .some(let socket): _ = try? socket.send(&outgoing)
        case nil: break
        }
    }
}
