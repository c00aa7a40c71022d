// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// A DEALER of libzmq.
final class Dealer {
    let socket: Socket

    /// - Parameter heartbeatMilliseconds: how often PING is sent; its answer may be late.
    init(
        _ endpoint: String, in context: Context, routingID: String? = nil,
        heartbeatMilliseconds: Int32 = 0
    ) throws {
        socket = try Socket(.dealer, in: context)
        try socket.set(.sendHighWaterMark, 0)
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.heartbeatInterval, heartbeatMilliseconds)
        try socket.set(.heartbeatTimeout, 60_000)
        if let routingID {
            try socket.set(.routingID, routingID)
        }
        try socket.connect(endpoint)
    }

    var item: PollItem {
        .socket(socket)
    }

    /// Returns whether the message was accepted.
    func send(_ frames: [[UInt8]]) throws -> Bool {
        for (index, frame) in frames.enumerated() {
            let result = try frame.withUnsafeBytes { bytes throws(ZeroMQError) in
                try socket.send(bytes: bytes, more: index < frames.count - 1)
            }
            if result != .sent {
                return false
            }
        }
        return true
    }

    /// The next message; `nil` if there is none.
    func receive() throws -> [[UInt8]]? {
        var frames: [[UInt8]] = []
        var message = Message()
        repeat {
            guard try socket.receive(into: &message) else {
                return nil
            }
            frames.append(Array(message.bytes))
        } while message.hasMore
        return frames
    }
}
