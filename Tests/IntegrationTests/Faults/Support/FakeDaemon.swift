// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing
import ZeroMQ

/// A socket that answers as a test wants, in place of a daemon.
@FaultThread
final class FakeDaemon {
    private let socket: Socket
    private var identity = Message()
    private var body = Message()

    init(_ endpoint: String) throws {
        socket = try Socket(.router, in: RawPeer.context)
        try socket.set(.linger, 1_000)
        try socket.bind(endpoint)
    }

    /// Waits for a greeting and answers it.
    func answerGreeting(with answer: some WireMessage) throws {
        try hear(.hello)
        try send(answer.encoded())
    }

    /// Sends a message to the peer of the last message.
    func send(_ bytes: [UInt8]) throws {
        var recipient = Message(byteCount: identity.byteCount)
        recipient.mutableBytes.copyBytes(from: identity.bytes)
        var message = Message(byteCount: bytes.count)
        message.mutableBytes.copyBytes(from: bytes)
        try #require(try socket.send(&recipient, more: true) == .sent)
        try #require(try socket.send(&message) == .sent)
    }

    /// Waits for the next message, which must be of this command, and returns it.
    ///
    /// - Parameter skipped: A command whose messages may come before it.
    @discardableResult
    func hear(_ command: Command, skipping skipped: Command? = nil) throws -> [UInt8] {
        while true {
            let bytes = try next(command)
            let arrived = try Header(parsing: bytes).command
            if arrived != skipped {
                try #require(arrived == command)
                return bytes
            }
        }
    }

    private func next(_ command: Command) throws -> [UInt8] {
        var poller = Poller()
        poller.add(.socket(socket))
        while try !socket.receive(into: &identity) {
            let ready = try poller.wait(timeoutMilliseconds: Patience.milliseconds)
            try #require(ready > 0, "no '\(command)' has arrived")
        }
        try #require(try socket.receive(into: &body))
        return Array(body.bytes)
    }
}
