// SPDX-License-Identifier: Apache-2.0

/// Bytes that the engine itself has to send, as data: ``Connection/encode(_:into:)`` writes them.
package enum Output: Equatable, Sendable {
    case greeting
    case ready

    /// The answer to a READY that is refused.
    case error

    /// `timeToLive` is in tenths of a second; 0 is none.
    case ping(timeToLive: UInt16, PingContext)

    case pong(PingContext)
}

extension Command {
    private static let readyName: StaticString = "READY"
    private static let errorName: StaticString = "ERROR"
    private static let pingName: StaticString = "PING"
    private static let pongName: StaticString = "PONG"

    /// The frame of READY with metadata.
    static func encodedReady(metadata: [UInt8]) -> [UInt8] {
        let header = FrameHeader.command(
            bodyByteCount: bodyByteCount(readyName, dataByteCount: metadata.count))
        return [UInt8](
            capacity: header.encodedByteCount + header.bodyByteCount
        ) { output in
            header.encode(into: &output)
            output.append(commandName: readyName)
            output.append(metadata)
        }
    }

    // MARK: - ERROR

    static func errorByteCount(reason: StaticString) -> Int {
        encodedByteCount(errorName, dataByteCount: 1 + reason.utf8CodeUnitCount)
    }

    static func encodeError(reason: StaticString, into output: inout OutputRawSpan) {
        encodeStart(errorName, dataByteCount: 1 + reason.utf8CodeUnitCount, into: &output)
        output.append(UInt8(reason.utf8CodeUnitCount))
        output.append(reason)
    }

    // MARK: - PING and PONG

    static func pingByteCount(_ context: PingContext) -> Int {
        encodedByteCount(pingName, dataByteCount: 2 + context.byteCount)
    }

    static func encodePing(
        timeToLive: UInt16, _ context: PingContext, into output: inout OutputRawSpan
    ) {
        encodeStart(pingName, dataByteCount: 2 + context.byteCount, into: &output)
        output.append(bigEndian: timeToLive)
        output.append(context)
    }

    static func pongByteCount(_ context: PingContext) -> Int {
        encodedByteCount(pongName, dataByteCount: context.byteCount)
    }

    static func encodePong(_ context: PingContext, into output: inout OutputRawSpan) {
        encodeStart(pongName, dataByteCount: context.byteCount, into: &output)
        output.append(context)
    }

    // MARK: - Any command

    private static func bodyByteCount(_ name: StaticString, dataByteCount: Int) -> Int {
        1 + name.utf8CodeUnitCount + dataByteCount
    }

    private static func encodedByteCount(_ name: StaticString, dataByteCount: Int) -> Int {
        let byteCount = bodyByteCount(name, dataByteCount: dataByteCount)
        return FrameHeader.command(bodyByteCount: byteCount).encodedByteCount + byteCount
    }

    /// Appends the header and the name.
    private static func encodeStart(
        _ name: StaticString, dataByteCount: Int, into output: inout OutputRawSpan
    ) {
        let byteCount = bodyByteCount(name, dataByteCount: dataByteCount)
        FrameHeader.command(bodyByteCount: byteCount).encode(into: &output)
        output.append(commandName: name)
    }
}

extension OutputRawSpan {
    mutating func append(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount {
            append(text.utf8Start[index])
        }
    }

    mutating func append(_ bytes: [UInt8]) {
        for byte in bytes {
            append(byte)
        }
    }

    /// Appends an integer in network byte order.
    mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(
        bigEndian integer: Integer
    ) {
        append(integer.bigEndian, as: Integer.self)
    }
}

extension OutputRawSpan {
    fileprivate mutating func append(commandName name: StaticString) {
        append(UInt8(name.utf8CodeUnitCount))
        append(name)
    }

    fileprivate mutating func append(_ context: PingContext) {
        for index in 0..<context.byteCount {
            append(context[index])
        }
    }
}

extension [UInt8] {
    /// Bytes that a function appends.
    init(capacity: Int, _ fill: (inout OutputRawSpan) -> Void) {
        self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var output = OutputRawSpan(buffer: raw, initializedCount: 0)
            fill(&output)
            count = output.finalize(for: raw)
        }
    }
}
