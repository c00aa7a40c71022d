// SPDX-License-Identifier: Apache-2.0

import ZMTP

/// Checks that the meaning of a peer's bytes on a connection does not depend on their division into reads,
/// and that the owner stores no more than the limits allow.
///
/// The lowest two bits of the first byte choose the role, and whether a handshake precedes the other bytes;
/// its other bits are the size of the reads.
enum ConnectionFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let mode = bytes.first else {
            return
        }
        let role: ConnectionConfiguration.Role = mode & 1 == 0 ? .server : .client
        let stream = (mode & 2 == 0 ? [] : handshake(of: role)) + bytes.dropFirst()
        let whole = FuzzedConnection(role)
        whole.receive(stream[...])
        whole.end()
        let pieces = FuzzedConnection(role)
        var rest = stream[...]
        while let end = rest.index(
            rest.startIndex, offsetBy: 1 + Int(mode >> 2), limitedBy: rest.endIndex)
        {
            pieces.receive(rest[..<end])
            rest = rest[end...]
        }
        pieces.receive(rest)
        pieces.end()
        precondition(pieces.records == whole.records, "the meaning depends on the reads")
    }

    /// Returns the bytes with which a peer opens a connection to an engine with this role.
    private static func handshake(of role: ConnectionConfiguration.Role) -> [UInt8] {
        let name = role == .server ? "DEALER" : "ROUTER"
        let property = [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array(name.utf8)
        let ready = [5] + Array("READY".utf8) + property
        return [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + Array("NULL".utf8)
            + [UInt8](repeating: 0, count: 48) + [4, UInt8(ready.count)] + ready
    }
}

/// The owner of a connection. It stores the bytes that are not consumed, and copies those that events refer
/// to.
private final class FuzzedConnection {
    enum Record: Equatable {
        case sent([UInt8])
        case opened
        case message([[UInt8]])
        case pong(PingContext)
        case unknownCommand([UInt8])
        case failed(Fault?)
    }

    private static let limits = ConnectionLimits(
        commandByteCount: 300, propertyCount: 4, frameByteCount: 600, frameCount: 5,
        messageByteCount: 800)

    private var connection: Connection
    private var buffer: [UInt8] = []
    private(set) var records: [Record] = []

    init(_ role: ConnectionConfiguration.Role) {
        connection = Connection(
            ConnectionConfiguration(
                role: role, socketType: role == .server ? .router : .dealer, limits: Self.limits),
            at: .zero)
        receive([])
    }

    func receive(_ bytes: ArraySlice<UInt8>) {
        buffer += bytes
        var cursor = 0
        while let event = connection.next(in: buffer.span.bytes, at: &cursor) {
            precondition(cursor <= buffer.count)
            record(event)
        }
        buffer.removeFirst(cursor)
        if connection.fault == nil {
            precondition(
                buffer.count < connection.byteCountNeeded, "enough bytes, but no event")
            precondition(connection.byteCountNeeded <= Self.limits.bufferedByteCount)
        } else {
            buffer = []
        }
    }

    func end() {
        if let event = connection.endOfStream(unconsumedByteCount: buffer.count) {
            record(event)
        }
    }

    private func record(_ event: Connection.Event) {
        precondition(!isOver, "an event follows a failure")
        switch event {
        case .send(let output): records.append(.sent(encoded(output)))
        case .opened:
            precondition(connection.isOpen && connection.peer != nil)
            records.append(.opened)
        case .message(let message): records.append(.message(frames(of: message)))
        case .pong(let context): records.append(.pong(context))
        case .unknownCommand(let name): records.append(.unknownCommand(Array(buffer[name])))
        case .failed:
            precondition(connection.fault?.description.utf8.allSatisfy(\.isHarmless) ?? false)
            records.append(.failed(connection.fault))
        }
    }

    private var isOver: Bool {
        if case .failed = records.last { true } else { false }
    }

    private func encoded(_ output: Output) -> [UInt8] {
        let count = connection.encodedByteCount(of: output)
        return [UInt8](unsafeUninitializedCapacity: count) { memory, initializedCount in
            let bytes = UnsafeMutableRawBufferPointer(memory)
            var span = OutputRawSpan(buffer: bytes, initializedCount: 0)
            connection.encode(output, into: &span)
            initializedCount = span.finalize(for: bytes)
            precondition(initializedCount == count)
        }
    }

    private func frames(of message: Message) -> [[UInt8]] {
        var frames = message.frames
        var bodies: [[UInt8]] = []
        while let body = frames.next(in: buffer.span.bytes) {
            bodies.append(Array(buffer[body]))
        }
        precondition(bodies.count == message.frameCount)
        precondition(bodies.count <= Self.limits.frameCount)
        precondition(bodies.reduce(0) { $0 + $1.count } == message.bodyByteCount)
        precondition(message.bodyByteCount <= Self.limits.messageByteCount)
        return bodies
    }
}

extension UInt8 {
    /// Whether the byte is not an ASCII control character.
    fileprivate var isHarmless: Bool {
        self >= 0x20 && self != 0x7F
    }
}
