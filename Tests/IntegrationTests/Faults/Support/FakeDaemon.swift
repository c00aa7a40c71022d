// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing
import ZeroMQ

/// Stands where a daemon would, and says what a test wants it to say.
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

    /// Waits for somebody's greeting and answers it.
    func answerGreeting(with answer: some WireMessage) throws {
        var poller = Poller()
        poller.add(.socket(socket))
        while try !socket.receive(into: &identity) {
            let ready = try poller.wait(timeoutMilliseconds: Patience.milliseconds)
            try #require(ready > 0, "nobody greets")
        }
        try #require(try socket.receive(into: &body))
        let hello = try Header(parsing: Array(body.bytes))
        try #require(hello.command == .hello)
        let bytes = answer.encoded()
        var message = Message(byteCount: bytes.count)
        message.mutableBytes.copyBytes(from: bytes)
        try #require(try socket.send(&identity, more: true) == .sent)
        try #require(try socket.send(&message) == .sent)
    }
}
