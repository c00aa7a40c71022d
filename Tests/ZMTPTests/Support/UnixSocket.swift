// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import ZMTP

/// A unix socket with one connection of the engine, for tests against libzmq.
final class UnixSocket {
    let descriptor: Int32
    private var connection: Connection
    private var received: [UInt8] = []
    private var pending: [UInt8] = []

    private init(_ descriptor: Int32, _ configuration: ConnectionConfiguration) throws {
        self.descriptor = descriptor
        connection = Connection(configuration, at: .zero)
        try check(fcntl(descriptor, F_SETFL, O_NONBLOCK))
    }

    deinit {
        close(descriptor)
    }

    // MARK: - Opening

    /// Connects to a socket at a path.
    convenience init(connectingTo path: String, _ configuration: ConnectionConfiguration) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try check(descriptor)
        try check(withAddress(path) { connect(descriptor, $0, $1) })
        try self.init(descriptor, configuration)
    }

    /// Accepts a connection of a listening socket.
    convenience init(accepting listener: Int32, _ configuration: ConnectionConfiguration) throws {
        let descriptor = accept(listener, nil, nil)
        try check(descriptor)
        try self.init(descriptor, configuration)
    }

    /// Returns a listening socket at a path.
    static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try check(descriptor)
        try check(withAddress(path) { bind(descriptor, $0, $1) })
        try check(Glibc.listen(descriptor, 1))
        return descriptor
    }

    // MARK: - Traffic

    var isOpen: Bool {
        connection.isOpen
    }

    var fault: Fault? {
        connection.fault
    }

    var peer: Peer? {
        connection.peer
    }

    /// Whether bytes wait for the socket to become writable.
    var hasPending: Bool {
        !pending.isEmpty
    }

    /// Reads the available bytes and returns their complete messages.
    func receive() throws -> [[[UInt8]]] {
        let isEnd = try read()
        var messages: [[[UInt8]]] = []
        var cursor = 0
        while let event = connection.next(in: received.span.bytes, at: &cursor) {
            switch event {
            case .send(let output):
                pending += [UInt8](capacity: connection.encodedByteCount(of: output)) {
                    connection.encode(output, into: &$0)
                }
            case .message(let message):
                var frames = message.frames
                var bodies: [[UInt8]] = []
                while let body = frames.next(in: received.span.bytes) {
                    bodies.append(Array(received[body]))
                }
                messages.append(bodies)
            case .opened, .pong, .unknownCommand, .failed:
                break
            }
        }
        received.removeFirst(cursor)
        if isEnd {
            _ = connection.endOfStream(unconsumedByteCount: received.count)
        }
        try flush()
        return messages
    }

    /// Reads the available bytes; returns whether the peer has closed the connection.
    private func read() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0 {
                try #require(errno == EAGAIN || errno == EINTR)
                return false
            }
            if count == 0 {
                return true
            }
            received += chunk[..<count]
        }
    }

    /// Sends a message: the headers from buffers of their own, the bodies from where they are.
    func send(_ bodies: [[UInt8]]) throws {
        try #require(isOpen)
        guard pending.isEmpty else {
            for (index, body) in bodies.enumerated() {
                pending += header(of: body, hasMore: index < bodies.count - 1) + body
            }
            try flush()
            return
        }
        let parts = bodies.enumerated().flatMap { index, body in
            [header(of: body, hasMore: index < bodies.count - 1), body]
        }
        let written = try writeVector(parts)
        pending += parts.joined().dropFirst(written)
    }

    private func header(of body: [UInt8], hasMore: Bool) -> [UInt8] {
        let header = FrameHeader(bodyByteCount: body.count, hasMore: hasMore)
        return [UInt8](capacity: header.encodedByteCount) { header.encode(into: &$0) }
    }

    private func writeVector(_ parts: [[UInt8]]) throws -> Int {
        var vectors: [iovec] = []
        // The arrays outlive the call, and their storage does not move while they are not changed.
        for part in parts {
            part.withUnsafeBytes {
                vectors.append(
                    iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress),
                        iov_len: $0.count))
            }
        }
        let written = withExtendedLifetime(parts) {
            vectors.withUnsafeMutableBufferPointer { vectors in
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = vectors.count
                return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            }
        }
        try #require(written >= 0 || errno == EAGAIN)
        return max(written, 0)
    }

    /// Writes pending bytes as far as the socket takes them.
    func flush() throws {
        while !pending.isEmpty {
            let written = Glibc.send(descriptor, pending, pending.count, Int32(MSG_NOSIGNAL))
            guard written > 0 else {
                try #require(errno == EAGAIN || errno == EINTR)
                return
            }
            pending.removeFirst(written)
        }
    }
}

/// Fails the test with the error number if a system call has failed.
private func check(_ result: Int32) throws {
    try #require(result >= 0, "error \(errno)")
}

private func withAddress(
    _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
