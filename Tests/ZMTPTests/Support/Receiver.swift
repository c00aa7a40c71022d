// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZMTP

/// The owner of a connection, which receives bytes in pieces and keeps what is not consumed.
final class Receiver {
    /// An event with the bytes that it refers to.
    enum Record: Equatable {
        case sent([UInt8])
        case opened
        case message([[UInt8]])
        case pong([UInt8])
        case unknownCommand(String)
        case failed(Fault?)
    }

    private let limits: ConnectionLimits
    private var connection: Connection
    private(set) var records: [Record] = []
    private var buffer: [UInt8] = []
    private var cursor = 0

    /// Whether consumed bytes stay in the buffer until there are many of them.
    private let keepsConsumed: Bool

    /// The most bytes that the connection has needed at once.
    private(set) var byteCountNeededMax = 0

    init(_ configuration: ConnectionConfiguration, keepsConsumed: Bool = false) {
        connection = Connection(configuration, at: .zero)
        limits = configuration.limits
        self.keepsConsumed = keepsConsumed
        receive([])
    }

    func receive(_ bytes: some Collection<UInt8>) {
        buffer += bytes
        while let event = connection.next(in: buffer.span.bytes, at: &cursor) {
            records.append(record(event))
            if connection.byteCountNeeded != 0 {
                Issue.record("an event was returned, and another one is said to need bytes")
            }
        }
        byteCountNeededMax = max(byteCountNeededMax, connection.byteCountNeeded)
        expectProgress()
        if !keepsConsumed || cursor > 1_000 {
            buffer.removeFirst(cursor)
            cursor = 0
        }
    }

    func endOfStream() {
        if let event = connection.endOfStream(unconsumedByteCount: buffer.count - cursor) {
            records.append(record(event))
        }
    }

    func deadlinePassed(at now: Duration) {
        if let event = connection.deadlinePassed(at: now) {
            records.append(record(event))
        }
    }

    /// The bytes left over are limited, and fewer than the connection needs.
    private func expectProgress() {
        guard connection.fault == nil else {
            return
        }
        let left = buffer.count - cursor
        if left >= connection.byteCountNeeded
            || connection.byteCountNeeded > limits.bufferedByteCount
        {
            Issue.record(
                "\(left) bytes are left, \(connection.byteCountNeeded) are needed, and the bound is \(limits.bufferedByteCount)"
            )
        }
    }

    private func record(_ event: Connection.Event) -> Record {
        switch event {
        case .send(let output):
            return .sent(encoded(output))
        case .opened:
            return .opened
        case .message(let message):
            return .message(bodies(of: message))
        case .pong(let context):
            return .pong(context.bytes)
        case .unknownCommand(let name):
            return .unknownCommand(String(decoding: buffer[name], as: UTF8.self))
        case .failed:
            return .failed(connection.fault)
        }
    }

    private func bodies(of message: Message) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        var frames = message.frames
        while let body = frames.next(in: buffer.span.bytes) {
            bodies.append(Array(buffer[body]))
        }
        #expect(bodies.count == message.frameCount)
        #expect(bodies.reduce(0) { $0 + $1.count } == message.bodyByteCount)
        return bodies
    }

    func encoded(_ output: Output) -> [UInt8] {
        let byteCount = connection.encodedByteCount(of: output)
        let bytes = [UInt8](capacity: byteCount) { connection.encode(output, into: &$0) }
        #expect(bytes.count == byteCount)
        return bytes
    }

    /// The events of `bytes` in one piece.
    static func records(
        of bytes: [UInt8], _ configuration: ConnectionConfiguration
    ) -> [Record] {
        let receiver = Receiver(configuration)
        receiver.receive(bytes)
        return receiver.records
    }

    var fault: Fault? {
        connection.fault
    }

    var isOpen: Bool {
        connection.isOpen
    }

    var peer: Peer? {
        connection.peer
    }

    var peerTimeToLive: Duration? {
        connection.peerTimeToLive
    }

    var deadline: Duration? {
        connection.deadline
    }

    var byteCountNeeded: Int {
        connection.byteCountNeeded
    }

    func ping(timeToLive: UInt16 = 0) -> Output? {
        connection.ping(timeToLive: timeToLive)
    }

    var messages: [[[UInt8]]] {
        records.compactMap { record in
            if case .message(let bodies) = record { bodies } else { nil }
        }
    }
}

extension PingContext {
    var bytes: [UInt8] {
        (0..<byteCount).map { self[$0] }
    }
}

extension ConnectionConfiguration {
    static let router = ConnectionConfiguration(role: .server, socketType: .router)
    static let dealer = ConnectionConfiguration(role: .client, socketType: .dealer)

    static func router(_ limits: ConnectionLimits) -> ConnectionConfiguration {
        ConnectionConfiguration(role: .server, socketType: .router, limits: limits)
    }
}
