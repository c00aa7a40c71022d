// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// The socket of the played daemon: a ROUTER at its endpoint, which disappears with this object.
final class RouterSocket {
    private let socket: Socket
    private var frame = Message()

    /// A ZeroMQ message of one peer.
    struct Arrival {
        let peer: [UInt8]
        let frames: [[UInt8]]
    }

    init(_ endpoint: String, in context: Context) throws {
        socket = try Socket(.router, in: context)
        try socket.set(.linger, 0)
        try socket.set(.sendHighWaterMark, 0)
        try socket.set(.receiveHighWaterMark, 0)
        try socket.bind(endpoint)
    }

    /// Makes a poller wait for messages of this socket, which must outlive the wait.
    func add(to poller: inout Poller) {
        poller.add(.socket(socket))
    }

    /// Returns the next message that has arrived; `nil` if there is none.
    func receive() throws -> Arrival? {
        var parts: [[UInt8]] = []
        repeat {
            guard try socket.receive(into: &frame) else {
                return nil
            }
            parts.append([UInt8](frame.bytes))
        } while frame.hasMore
        return Arrival(peer: parts[0], frames: Array(parts.dropFirst()))
    }

    /// Sends frames to a peer as one ZeroMQ message. A peer that has gone receives nothing.
    func send(_ frames: [[UInt8]], to peer: [UInt8]) throws {
        _ = try peer.withUnsafeBytes { try socket.send(bytes: $0, more: true) }
        for (place, frame) in frames.enumerated() {
            _ = try frame.withUnsafeBytes {
                try socket.send(bytes: $0, more: place < frames.count - 1)
            }
        }
    }
}
