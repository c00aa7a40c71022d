// SPDX-License-Identifier: Apache-2.0

/// A command of a peer, where it lies in the receive buffer (RFC 37, *Commands*).
///
///     command-body = command-name command-data
///     command-name = short-size 1*255command-name-char
struct Command {
    enum Name {
        case ready
        case error
        case ping
        case pong

        /// A command of socket types that are not request and reply.
        case unsupported

        /// A name that the RFC does not define.
        case unknown
    }

    let name: Name
    let nameRange: Range<Int>
    let data: Range<Int>

    private static let namesUnsupported: [StaticString] = [
        "SUBSCRIBE", "CANCEL", "JOIN", "LEAVE",
    ]

    /// Reads the command whose frame has its body in `range`.
    static func decode(_ bytes: RawSpan, in range: Range<Int>) throws(Fault) -> Command {
        guard !range.isEmpty else {
            throw Fault(.malformedCommand(""), at: range.lowerBound)
        }
        let byteCount = Int(bytes.byte(at: range.lowerBound))
        let start = range.lowerBound + 1
        guard byteCount > 0, byteCount <= range.upperBound - start else {
            throw Fault(.malformedCommand(""), at: range.lowerBound)
        }
        let nameRange = start..<start + byteCount
        guard nameRange.allSatisfy({ bytes.byte(at: $0).isLetter }) else {
            throw Fault(.malformedCommand(""), at: start)
        }
        return Command(
            name: name(bytes, in: nameRange), nameRange: nameRange,
            data: nameRange.upperBound..<range.upperBound)
    }

    private static func name(_ bytes: RawSpan, in range: Range<Int>) -> Name {
        if bytes.isEqual(to: "PING", in: range) {
            return .ping
        } else if bytes.isEqual(to: "PONG", in: range) {
            return .pong
        } else if bytes.isEqual(to: "READY", in: range) {
            return .ready
        } else if bytes.isEqual(to: "ERROR", in: range) {
            return .error
        }
        let isUnsupported = namesUnsupported.contains { bytes.isEqual(to: $0, in: range) }
        return isUnsupported ? .unsupported : .unknown
    }

    // MARK: - Data

    /// The fault that ERROR stands for.
    ///
    ///     error-reason = short-size 0*255VCHAR
    func refusal(_ bytes: RawSpan) -> Fault {
        guard let first = data.first, Int(bytes.byte(at: first)) == data.count - 1 else {
            return Fault(.malformedCommand("ERROR"), at: data.lowerBound)
        }
        return Fault(
            .refusedByPeer(bytes.textForDisplay(data.dropFirst())), at: nameRange.lowerBound)
    }

    /// The time to live, in tenths of a second, and the context of PING.
    ///
    ///     ping = command-size %d4 "PING" ping-ttl ping-context
    func ping(_ bytes: RawSpan) throws(Fault) -> (timeToLive: UInt16, context: PingContext) {
        let sizeByteCount = 2
        guard data.count >= sizeByteCount,
            data.count <= sizeByteCount + PingContext.byteCountMax
        else {
            throw Fault(.malformedCommand("PING"), at: data.lowerBound)
        }
        return (
            bytes.integer(at: data.lowerBound, as: UInt16.self),
            PingContext(bytes, in: data.dropFirst(sizeByteCount))
        )
    }

    /// The context of PONG.
    func pong(_ bytes: RawSpan) throws(Fault) -> PingContext {
        guard data.count <= PingContext.byteCountMax else {
            throw Fault(.malformedCommand("PONG"), at: data.lowerBound)
        }
        return PingContext(bytes, in: data)
    }
}

/// The context that a PING carries and its PONG returns: 0 to 16 octets of the sender's choice.
package struct PingContext: Hashable, Sendable {
    package static let byteCountMax = 16

    /// The octets as the most significant bytes, so that a context needs no memory of its own.
    private var octets: UInt128 = 0

    package private(set) var byteCount = 0

    /// The first 16 bytes of a sequence.
    package init(_ bytes: some Sequence<UInt8> = []) {
        for byte in bytes.prefix(Self.byteCountMax) {
            append(byte)
        }
    }

    fileprivate init(_ bytes: RawSpan, in range: Range<Int>) {
        for index in range {
            append(bytes.byte(at: index))
        }
    }

    private mutating func append(_ byte: UInt8) {
        octets |= UInt128(byte) << Self.shift(of: byteCount)
        byteCount += 1
    }

    package subscript(_ index: Int) -> UInt8 {
        precondition((0..<byteCount).contains(index), "The context is shorter")
        return UInt8(truncatingIfNeeded: octets >> Self.shift(of: index))
    }

    private static func shift(of index: Int) -> Int {
        8 * (byteCountMax - 1 - index)
    }
}
