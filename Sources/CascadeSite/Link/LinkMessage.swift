// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// One message of a link: a sequence number, an acknowledgement, and frames or one control.
///
/// Integers are little-endian. The header is the sequence (64 bits: 1, 2, …; 0 for a control) and the
/// greatest sequence that the sender has taken (64 bits). A message with a sequence continues with
/// frames, each after its length in bytes (32 bits); a message without one with the code of its control
/// (8 bits) and, for ``Control/close(_:)``, the reason in UTF-8. If bit 31 of a length is set, the frame
/// is only the first part of a frame whose length in bytes (32 bits) comes next.
package struct LinkMessage: Equatable, Sendable {
    package enum Body: Equatable, Sendable {
        case frames([Frame])
        case control(Control)
    }

    /// The place of a frame in the bytes of its message.
    package struct Frame: Equatable, Sendable {
        package let bytes: Range<Int>
        /// The length of the whole frame, of which a link carries at most its maximum.
        package let wholeByteCount: Int

        package init(bytes: Range<Int>, wholeByteCount: Int) {
            self.bytes = bytes
            self.wholeByteCount = wholeByteCount
        }

        package var isWhole: Bool {
            bytes.count == wholeByteCount
        }
    }

    /// A message about the link itself, which is not repeated if it is lost.
    package enum Control: Equatable, Sendable {
        /// The acknowledgement in the header alone. It is the keep-alive, too.
        case acknowledgement
        /// The sender has ended the link, for this reason.
        case close(String)
        /// A message is missing: send again from the one after the acknowledged one.
        case again
    }

    package let sequence: UInt64
    /// The greatest sequence that the sender has taken; 0 for none.
    package let taken: UInt64
    package let body: Body

    /// The sequence of the first message with frames.
    static let firstSequence: UInt64 = 1

    // MARK: - Sizes

    package static let headerByteCount = 16
    /// The bytes before each frame.
    package static let lengthByteCount = 4
    /// The largest message with more than one frame.
    package static let sharedByteCountMax = 65_536
    /// The bit of a length that marks the first part of a frame.
    private static let partFlag: UInt32 = 1 << 31
    /// The longest reason of a close; a longer one is cut.
    package static let reasonByteCountMax = 512

    /// The largest message of a link with the greatest frame `maximum`.
    package static func byteCountMax(maximum: Int) -> Int {
        max(sharedByteCountMax, headerByteCount + lengthByteCount + maximum)
    }

    // MARK: - Decoding

    /// Reads a whole message. Throws ``LinkFault`` if the bytes are not a message, or if a frame has
    /// more than `maximum` bytes.
    package init(parsing bytes: [UInt8], maximum: Int) throws(LinkFault) {
        guard bytes.count >= Self.headerByteCount else {
            throw .truncated(byteCount: bytes.count)
        }
        sequence = UInt64(littleEndianBytes: bytes[0..<8])
        taken = UInt64(littleEndianBytes: bytes[8..<16])
        body =
            sequence == 0
            ? .control(try Self.control(bytes[Self.headerByteCount...]))
            : .frames(try Self.frames(bytes, maximum: maximum))
    }

    /// Whether a link begins with this message: it acknowledges nothing and follows no frames of its sender.
    /// A close gives the link up. Any other message belongs to a link of an earlier gate.
    var opensLink: Bool {
        if case .control(.close) = body {
            return false
        }
        return taken == 0 && sequence <= Self.firstSequence
    }

    /// Whether the bytes are a message with frames that is not the first one of its link.
    static func followsFrames(_ bytes: [UInt8]) -> Bool {
        bytes.count >= headerByteCount
            && UInt64(littleEndianBytes: bytes[0..<8]) > firstSequence
    }

    private static func control(_ bytes: ArraySlice<UInt8>) throws(LinkFault) -> Control {
        guard let code = bytes.first else {
            throw .truncated(byteCount: headerByteCount)
        }
        let rest = bytes.dropFirst()
        switch code {
        case 0 where rest.isEmpty: return .acknowledgement
        case 1: return .close(String(decoding: rest.prefix(reasonByteCountMax), as: UTF8.self))
        case 2 where rest.isEmpty: return .again
        default: throw .unknownControl(code)
        }
    }

    private static func frames(
        _ bytes: [UInt8], maximum: Int
    ) throws(LinkFault) -> [Frame] {
        var frames: [Frame] = []
        var cursor = headerByteCount
        func readLength() throws(LinkFault) -> UInt32 {
            guard lengthByteCount <= bytes.count - cursor else {
                throw .truncated(byteCount: bytes.count)
            }
            defer { cursor += lengthByteCount }
            return UInt32(littleEndianBytes: bytes[cursor..<cursor + lengthByteCount])
        }
        while cursor < bytes.count {
            let length = try readLength()
            let byteCount = Int(length & ~partFlag)
            let wholeByteCount = length & partFlag == 0 ? byteCount : Int(try readLength())
            guard byteCount <= maximum else {
                throw .frameTooLong(byteCount: byteCount, maximum: maximum)
            }
            guard byteCount <= bytes.count - cursor, byteCount <= wholeByteCount else {
                throw .truncated(byteCount: bytes.count)
            }
            frames.append(
                Frame(bytes: cursor..<cursor + byteCount, wholeByteCount: wholeByteCount))
            cursor += byteCount
        }
        guard !frames.isEmpty else {
            throw .truncated(byteCount: bytes.count)
        }
        guard frames.count == 1 || bytes.count <= sharedByteCountMax else {
            throw .messageTooLong(byteCount: bytes.count)
        }
        return frames
    }

    // MARK: - Encoding

    /// Returns a control as a whole message.
    package static func encoded(_ control: Control, taken: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: 0 as UInt64)
        bytes.append(littleEndian: taken)
        switch control {
        case .acknowledgement: bytes.append(0)
        case .close(let reason):
            bytes.append(1)
            bytes.append(contentsOf: reason.prefixUTF8(reasonByteCountMax))
        case .again: bytes.append(2)
        }
        return bytes
    }

    /// Appends a frame to a message.
    static func append(_ frame: [UInt8], to message: inout [UInt8]) {
        message.append(littleEndian: UInt32(frame.count))
        message.append(contentsOf: frame)
    }

    /// Appends the first part of a frame to a message, so that the two lengths and the part together
    /// are as long as the longest frame and its length.
    static func appendPart(
        of frame: [UInt8], maximum: Int, to message: inout [UInt8]
    ) {
        let part = frame.prefix(maximum - lengthByteCount)
        message.append(littleEndian: UInt32(part.count) | partFlag)
        message.append(littleEndian: UInt32(clamping: frame.count))
        message.append(contentsOf: part)
    }

    /// Writes the header over the first bytes of a message.
    static func writeHeader(sequence: UInt64, taken: UInt64, into message: inout [UInt8]) {
        for index in 0..<8 {
            message[index] = UInt8(truncatingIfNeeded: sequence >> (8 * index))
            message[8 + index] = UInt8(truncatingIfNeeded: taken >> (8 * index))
        }
    }
}

extension String {
    /// The longest prefix of whole Unicode scalars with at most `byteCount` bytes.
    fileprivate func prefixUTF8(_ byteCount: Int) -> Substring.UTF8View {
        var end =
            utf8.index(utf8.startIndex, offsetBy: byteCount, limitedBy: utf8.endIndex)
            ?? utf8.endIndex
        while end < utf8.endIndex, UTF8.isContinuation(utf8[end]) {
            utf8.formIndex(before: &end)
        }
        return self[..<end].utf8
    }
}
