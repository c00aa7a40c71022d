// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A frame of the journal: a record, the removal of one, or a checkpoint. It consists of a header of 56
/// bytes, the body, and one to eight bytes of padding up to a multiple of eight.
///
/// The padding is not zero. An interrupted write ends early or in zeros, so a frame that ends with
/// padding was written completely.
package struct JournalFrame: Equatable, Sendable {
    /// The greatest number of a frame or file. Only a damaged journal can reach it; nothing more can be
    /// written to it then.
    package static let numberMax: UInt64 = 1 << 62
    static let headerByteCount = 56
    static let alignment = 8
    private static let marker: UInt32 = 0x4C4E_524A
    /// A byte that never occurs in UTF-8 text.
    private static let padding: UInt8 = 0xFD

    private enum Kind {
        static let put: UInt8 = 1
        static let remove: UInt8 = 2
        static let checkpoint: UInt8 = 3
    }

    /// The frame's number, which increases from frame to frame, across all files.
    package var number: UInt64
    package var key: EventID
    /// The record; `nil` if the key's record is removed.
    package var body: [UInt8]?
    /// Whether the frame is a checkpoint. All records that were live when the file was created precede
    /// it.
    package private(set) var isCheckpoint = false

    package init(number: UInt64, key: EventID, body: [UInt8]?) {
        self.number = number
        self.key = key
        self.body = body
    }

    /// Creates a checkpoint.
    ///
    /// - Parameter number: The greatest number of any frame so far.
    package static func checkpoint(number: UInt64) -> JournalFrame {
        let key = EventID(session: SessionID(high: 0, low: 0), sequence: 0)
        var frame = JournalFrame(number: number, key: key, body: nil)
        frame.isCheckpoint = true
        return frame
    }

    /// The length of the frame in bytes, in a file of the current version.
    package var byteCount: Int {
        Self.byteCount(body: body?.count ?? 0, version: SegmentHeader.version)
    }

    private static func byteCount(body: Int, version: UInt32) -> Int {
        let paddingMin = version == 1 ? 0 : 1
        return headerByteCount + (body + paddingMin + alignment - 1) / alignment * alignment
    }

    private var kind: UInt8 {
        isCheckpoint ? Kind.checkpoint : body == nil ? Kind.remove : Kind.put
    }

    /// Returns the frame as bytes for a file with this salt.
    package func encoded(salt: UInt64) -> [UInt8] {
        let body = body ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(littleEndian: Self.marker)
        bytes.append(littleEndian: UInt32(body.count))
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: key.session.high)
        bytes.append(littleEndian: key.session.low)
        bytes.append(littleEndian: key.sequence)
        bytes.append(littleEndian: UInt32(kind))
        bytes.append(littleEndian: CRC32C.checksum(body))
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: Self.checksum(bytes[...], salt))
        bytes += body
        bytes += repeatElement(Self.padding, count: byteCount - bytes.count)
        return bytes
    }

    private static func checksum(_ header: ArraySlice<UInt8>, _ salt: UInt64) -> UInt32 {
        var salted: [UInt8] = []
        salted.append(littleEndian: salt)
        var checksum = CRC32C()
        checksum.update(salted)
        checksum.update(header)
        return checksum.value
    }

    /// The result of parsing a frame at the start of a file's bytes.
    enum Parsed: Equatable {
        case frame(JournalFrame, byteCount: Int)
        /// A valid header with an invalid body. The length is reliable.
        /// - Parameter isComplete: Whether the frame was once written completely.
        case badBody(byteCount: Int, isComplete: Bool)
        case none
    }

    static func parse(_ bytes: ArraySlice<UInt8>, in file: SegmentHeader) -> Parsed {
        guard bytes.count >= headerByteCount, bytes.integer(at: 0) == marker,
            bytes.integer(at: 52) == checksum(bytes.prefix(52), file.salt)
        else {
            return .none
        }
        let bodyByteCount = Int(bytes.integer(at: 4, UInt32.self))
        let byteCount = byteCount(body: bodyByteCount, version: file.version)
        guard bytes.count >= byteCount else {
            return .badBody(byteCount: byteCount, isComplete: false)
        }
        let frame = bytes.prefix(byteCount)
        let body = frame.dropFirst(headerByteCount).prefix(bodyByteCount)
        guard CRC32C.checksum(body) == bytes.integer(at: 44),
            let parsed = JournalFrame(frame, body: body)
        else {
            return .badBody(byteCount: byteCount, isComplete: isCompletelyWritten(frame, in: file))
        }
        return .frame(parsed, byteCount: byteCount)
    }

    /// Returns whether the bytes end with a completed write rather than an interrupted one.
    static func isCompletelyWritten(_ bytes: ArraySlice<UInt8>, in file: SegmentHeader) -> Bool {
        file.version == 1
            ? bytes.suffix(alignment).contains { $0 != 0 }
            : bytes.count % alignment == 0 && bytes.last == padding
    }

    /// Creates the frame from its bytes; `nil` for a kind or number that no release has written.
    private init?(_ bytes: ArraySlice<UInt8>, body: ArraySlice<UInt8>) {
        let kind: UInt32 = bytes.integer(at: 40)
        let number: UInt64 = bytes.integer(at: 8)
        guard number <= Self.numberMax, (1...UInt32(Kind.checkpoint)).contains(kind) else {
            return nil
        }
        let session = SessionID(high: bytes.integer(at: 16), low: bytes.integer(at: 24))
        self.init(
            number: number, key: EventID(session: session, sequence: bytes.integer(at: 32)),
            body: kind == Kind.put ? Array(body) : nil)
        isCheckpoint = kind == Kind.checkpoint
    }
}

/// The checksum CRC-32C (Castagnoli). It detects every burst error of up to 32 bits, and all but one in
/// 2^32 other errors.
package struct CRC32C: Sendable {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
        }
    }

    private var state: UInt32 = .max

    package init() {}

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        var state = state
        for byte in bytes {
            state = table[Int(truncatingIfNeeded: (state ^ UInt32(byte)) & 0xFF)] ^ state >> 8
        }
        self.state = state
    }

    package var value: UInt32 {
        ~state
    }

    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }
}

extension ArraySlice<UInt8> {
    /// Returns the little-endian integer at an offset from the start.
    ///
    /// Precondition: the slice is long enough.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, _ type: Value.Type = Value.self
    ) -> Value {
        let start = startIndex + offset
        return Value(littleEndianBytes: self[start..<(start + Value.bitWidth / 8)])
    }
}
