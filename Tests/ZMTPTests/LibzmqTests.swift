// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import CascadeTestSupport
import Glibc
import Testing

@testable import ZMTP

/// The engine against libzmq over a unix socket, in both roles.
@Suite struct LibzmqTests {
    private static let messageCount = 10_000

    /// Messages under way at most, so that neither side waits for the other one to read.
    private static let window = 100

    /// The message of a number: its number, an empty frame, and up to 3 frames of different sizes. Some
    /// are larger than what is read at once.
    private static func message(_ number: Int) -> [[UInt8]] {
        let sizes = [0, 1, 100, 255, 256, 300]
        let bodies = (0..<number % 4).map { index in
            [UInt8](
                repeating: UInt8(truncatingIfNeeded: number + index),
                count: number % 1_000 == 1 ? 100_000 : sizes[(number + index) % sizes.count])
        }
        return [Octets.bigEndian(UInt64(number)), []] + bodies
    }

    @Test func `a DEALER of libzmq gets 10,000 messages back from the engine as a server`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        let listener = try UnixSocket.listen(at: path)
        defer { close(listener) }
        let dealer = try ReferenceSocket(ZMQ_DEALER)
        try dealer.set(ZMQ_ROUTING_ID, Array("worker-1".utf8))
        // PING comes often, also between the frames of a message; the answers may be late.
        try dealer.set(ZMQ_HEARTBEAT_IVL, 5)
        try dealer.set(ZMQ_HEARTBEAT_TIMEOUT, 60_000)
        try dealer.connect("ipc://\(path)")
        let server = try UnixSocket(accepting: listener, .router)
        var sent = 0
        var returned = 0
        while returned < Self.messageCount {
            for message in try server.receive() {
                try server.send(message)
            }
            while sent < Self.messageCount, sent - returned < Self.window,
                try dealer.send(Self.message(sent))
            {
                sent += 1
            }
            while let message = try dealer.receive() {
                try #require(message == Self.message(returned))
                returned += 1
            }
            try #require(server.fault == nil)
            try dealer.wait(orFor: server.descriptor, isWriting: server.hasPending)
        }
        #expect(server.peer?.identity == Array("worker-1".utf8))
        #expect(server.peer?.version == .version3Point1)
    }

    @Test func `a ROUTER of libzmq returns 10,000 messages to the engine as a client`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        let router = try ReferenceSocket(ZMQ_ROUTER)
        try router.set(ZMQ_ROUTER_MANDATORY, 1)
        try router.set(ZMQ_HEARTBEAT_IVL, 5)
        try router.set(ZMQ_HEARTBEAT_TIMEOUT, 60_000)
        try router.bind("ipc://\(path)")
        let identity: [UInt8] = [1, 0, 255]
        let client = try UnixSocket(
            connectingTo: path,
            ConnectionConfiguration(role: .client, socketType: .dealer, identity: identity))
        var sent = 0
        var returned = 0
        while returned < Self.messageCount {
            for message in try client.receive() {
                try #require(message == Self.message(returned))
                returned += 1
            }
            while client.isOpen, sent < Self.messageCount, sent - returned < Self.window {
                try client.send(Self.message(sent))
                sent += 1
            }
            while let message = try router.receive() {
                try #require(message.first == identity)
                try #require(try router.send(message))
            }
            try #require(client.fault == nil)
            try router.wait(orFor: client.descriptor, isWriting: client.hasPending)
        }
        #expect(client.peer?.socketType == .router)
    }

    @Test func `libzmq answers each of 200 connections that follow each other`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        let router = try ReferenceSocket(ZMQ_ROUTER)
        try router.bind("ipc://\(path)")
        for number in 0..<200 {
            let client = try UnixSocket(connectingTo: path, .dealer)
            var isSent = false
            var echo: [[UInt8]]?
            while echo == nil {
                echo = try client.receive().first
                if client.isOpen, !isSent {
                    try client.send(Self.message(number))
                    isSent = true
                }
                if let message = try router.receive() {
                    try #require(try router.send(message))
                }
                try #require(client.fault == nil)
                if echo == nil {
                    try router.wait(orFor: client.descriptor, isWriting: client.hasPending)
                }
            }
            #expect(echo == Self.message(number))
        }
    }
}

/// A socket of libzmq, with which the engine is compared.
final class ReferenceSocket {
    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    init(_ type: Int32) throws {
        context = try #require(zmq_ctx_new())
        socket = try #require(zmq_socket(context, type))
        try set(ZMQ_LINGER, 0)
    }

    deinit {
        zmq_close(socket)
        zmq_ctx_term(context)
    }

    func set(_ option: Int32, _ value: Int32) throws {
        var value = value
        try check(zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size))
    }

    func set(_ option: Int32, _ value: [UInt8]) throws {
        try check(zmq_setsockopt(socket, option, value, value.count))
    }

    func bind(_ endpoint: String) throws {
        try check(zmq_bind(socket, endpoint))
    }

    func connect(_ endpoint: String) throws {
        try check(zmq_connect(socket, endpoint))
    }

    /// Returns whether the message was accepted.
    func send(_ frames: [[UInt8]]) throws -> Bool {
        for (index, frame) in frames.enumerated() {
            let more = index < frames.count - 1 ? ZMQ_SNDMORE : 0
            guard zmq_send(socket, frame, frame.count, ZMQ_DONTWAIT | more) >= 0 else {
                // A message that was begun is accepted whole.
                try #require(index == 0 && zmq_errno() == EAGAIN)
                return false
            }
        }
        return true
    }

    /// Returns the next message, or `nil` if there is none.
    func receive() throws -> [[UInt8]]? {
        var frames: [[UInt8]] = []
        var frame = zmq_msg_t()
        zmq_msg_init(&frame)
        defer { zmq_msg_close(&frame) }
        repeat {
            guard zmq_msg_recv(&frame, socket, ZMQ_DONTWAIT) >= 0 else {
                try #require(frames.isEmpty && zmq_errno() == EAGAIN)
                return nil
            }
            frames.append(
                Array(
                    UnsafeRawBufferPointer(
                        start: zmq_msg_data(&frame), count: zmq_msg_size(&frame))))
        } while zmq_msg_more(&frame) != 0
        return frames
    }

    /// Waits until a message can be received, or the descriptor can be read or written.
    func wait(orFor descriptor: Int32, isWriting: Bool) throws {
        var items = [
            zmq_pollitem_t(socket: socket, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
            zmq_pollitem_t(
                socket: nil, fd: descriptor,
                events: Int16(isWriting ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN), revents: 0),
        ]
        try #require(zmq_poll(&items, 2, 20_000) > 0, "nothing came within 20 seconds")
    }

    private func check(_ result: Int32) throws {
        try #require(result == 0, "error \(zmq_errno())")
    }
}
