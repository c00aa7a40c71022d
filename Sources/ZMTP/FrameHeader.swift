// SPDX-License-Identifier: Apache-2.0

/// The flags and the size before the body of a frame (RFC 37, *Framing*).
///
/// A header is encoded into a buffer of the caller, and the body is written from where it is: together
/// with the header by `writev`, or copied behind it if it is small. A header depends on no connection,
/// so a message for many peers is encoded once.
package struct FrameHeader: Hashable, Sendable {
    /// Whether another frame of the same message follows.
    package let hasMore: Bool

    package let isCommand: Bool
    package let bodyByteCount: Int

    /// The greatest number of bytes of a header: flags, and 8 octets of size.
    package static let byteCountMax = 9

    private static let byteCountShort = 2
    private static let bodyByteCountShortMax = 255

    private enum Flag {
        static let more: UInt8 = 1
        static let long: UInt8 = 2
        static let command: UInt8 = 4
        static let reserved: UInt8 = 0xF8
    }

    /// The header of a message's frame.
    package init(bodyByteCount: Int, hasMore: Bool) {
        precondition(bodyByteCount >= 0, "A frame has no negative size")
        self.hasMore = hasMore
        self.isCommand = false
        self.bodyByteCount = bodyByteCount
    }

    private init(hasMore: Bool, isCommand: Bool, bodyByteCount: Int) {
        self.hasMore = hasMore
        self.isCommand = isCommand
        self.bodyByteCount = bodyByteCount
    }

    static func command(bodyByteCount: Int) -> FrameHeader {
        FrameHeader(hasMore: false, isCommand: true, bodyByteCount: bodyByteCount)
    }

    // MARK: - Encoding

    /// Whether the size needs 8 octets.
    private var isLong: Bool {
        bodyByteCount > Self.bodyByteCountShortMax
    }

    /// The bytes that ``encode(into:)`` appends.
    package var encodedByteCount: Int {
        isLong ? Self.byteCountMax : Self.byteCountShort
    }

    /// Appends the header; the output needs ``encodedByteCount`` bytes of free capacity.
    package func encode(into output: inout OutputRawSpan) {
        var flags: UInt8 = hasMore ? Flag.more : 0
        if isCommand {
            flags |= Flag.command
        }
        if isLong {
            output.append(flags | Flag.long)
            output.append(bigEndian: UInt64(bodyByteCount))
        } else {
            output.append(flags)
            output.append(UInt8(bodyByteCount))
        }
    }

    // MARK: - Decoding

    /// A header that was read, and where the body begins.
    struct Decoded {
        let header: FrameHeader
        let bodyStart: Int

        /// The first byte of the next frame. The size must have been checked against a limit.
        var end: Int {
            bodyStart + header.bodyByteCount
        }
    }

    /// Reads the header that begins at `start`; returns `nil` while bytes of it are missing.
    ///
    /// The flags are checked before the size is there. A long size below 256 is valid: the grammar
    /// allows it, though senders have no reason for it.
    static func decode(_ bytes: RawSpan, at start: Int) throws(Fault) -> Decoded? {
        guard start < bytes.byteCount else {
            return nil
        }
        let flags = bytes.byte(at: start)
        guard flags & Flag.reserved == 0 else {
            throw Fault(.reservedFlags(flags), at: start)
        }
        let isCommand = flags & Flag.command != 0
        let hasMore = flags & Flag.more != 0
        guard !(isCommand && hasMore) else {
            throw Fault(.commandWithMore, at: start)
        }
        let isLong = flags & Flag.long != 0
        let bodyStart = start + (isLong ? byteCountMax : byteCountShort)
        guard bodyStart <= bytes.byteCount else {
            return nil
        }
        let size: UInt64 =
            isLong
            ? bytes.integer(at: start + 1, as: UInt64.self) : UInt64(bytes.byte(at: start + 1))
        guard let bodyByteCount = Int(exactly: size) else {
            throw Fault(.frameSizeOutOfRange(size), at: start + 1)
        }
        return Decoded(
            header: FrameHeader(
                hasMore: hasMore, isCommand: isCommand, bodyByteCount: bodyByteCount),
            bodyStart: bodyStart)
    }

    /// The number of bytes, from the first one, without which an incomplete header contains nothing
    /// new.
    static func byteCountNeeded(_ bytes: RawSpan, at start: Int) -> Int {
        guard start < bytes.byteCount else {
            return byteCountShort
        }
        return bytes.byte(at: start) & Flag.long != 0 ? byteCountMax : byteCountShort
    }
}
