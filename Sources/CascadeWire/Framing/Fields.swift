// SPDX-License-Identifier: Apache-2.0

/// Writes fields: each a tag (16 bits), a length in bytes (32 bits) and the value, little-endian.
///
/// Values are integers of their natural width, UTF-8 text without a terminator, or a list of parts
/// as ``append(_:parts:)`` writes them.
package struct FieldWriter: Sendable {
    /// The fields written so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// The room that the fields of a message usually need.
    private static let usualByteCount = 128

    /// A writer of a whole message, which begins with room for its header.
    static var ofMessage: FieldWriter {
        var writer = FieldWriter()
        writer.bytes.reserveCapacity(Header.byteCount + usualByteCount)
        writer.bytes.append(contentsOf: repeatElement(0, count: Header.byteCount))
        return writer
    }

    /// Returns the whole message, which ``ofMessage`` has begun. The length of its fields is set.
    consuming func message(_ header: Header) -> [UInt8] {
        var header = header
        header.fieldsLength = UInt32(bytes.count - Header.byteCount)
        bytes.withUnsafeMutableBytes { bytes in header.write(into: bytes) }
        return bytes
    }

    package mutating func append(_ tag: FieldTag, _ value: some FixedWidthInteger) {
        begin(tag, byteCount: value.bitWidth / 8)
        bytes.append(littleEndian: value)
    }

    package mutating func append(_ tag: FieldTag, _ text: String) {
        begin(tag, byteCount: text.utf8.count)
        bytes.append(utf8: text)
    }

    /// Writes a text, unless it is `nil`.
    package mutating func append(_ tag: FieldTag, ifAny text: String?) {
        if let text {
            append(tag, text)
        }
    }

    package mutating func append(_ tag: FieldTag, octets: [UInt8]) {
        begin(tag, byteCount: octets.count)
        bytes.append(contentsOf: octets)
    }

    /// Writes a flag, a field without a value, if `condition` is true.
    package mutating func append(_ tag: FieldTag, if condition: Bool) {
        if condition {
            begin(tag, byteCount: 0)
        }
    }

    /// Writes fields within a field.
    package mutating func append(_ tag: FieldTag, nested write: (inout FieldWriter) -> Void) {
        var inner = FieldWriter()
        write(&inner)
        append(tag, octets: inner.bytes)
    }

    /// Writes a compact value of several parts in a fixed order.
    package mutating func append(_ tag: FieldTag, parts write: (inout PartWriter) -> Void) {
        let start = begin(tag)
        // The writer of the parts takes the array over, so that nothing is copied.
        var parts = PartWriter()
        swap(&parts.bytes, &bytes)
        write(&parts)
        swap(&parts.bytes, &bytes)
        complete(start)
    }

    private mutating func begin(_ tag: FieldTag, byteCount: Int) {
        if bytes.isEmpty {
            bytes.reserveCapacity(Self.usualByteCount)
        }
        let head = UInt64(tag.rawValue) | UInt64(UInt32(byteCount)) << 16
        Swift.withUnsafeBytes(of: head.littleEndian) { head in
            let head = UnsafeRawBufferPointer(rebasing: head[..<FieldReader.headByteCount])
            bytes.append(contentsOf: head)
        }
    }

    /// Begins a field whose length follows with ``complete(_:)``. Returns the place of its value.
    private mutating func begin(_ tag: FieldTag) -> Int {
        begin(tag, byteCount: 0)
        return bytes.count
    }

    /// Sets the length of the field whose value begins at `start` and ends here.
    private mutating func complete(_ start: Int) {
        let byteCount = UInt32(bytes.count - start)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(
                of: byteCount.littleEndian, toByteOffset: start - MemoryLayout<UInt32>.size,
                as: UInt32.self)
        }
    }
}

extension [UInt8] {
    @inlinable
    package mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes in append(contentsOf: bytes) }
    }

    fileprivate mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { bytes in append(contentsOf: bytes) }
    }
}

/// Reads the fields that ``FieldWriter`` wrote, in order, and skips unknown tags.
///
/// The fields are copied out of the message. Most frequent messages need only the header.
package struct FieldReader: Sendable {
    /// One field, its value not yet interpreted.
    package struct Field: Sendable {
        package let tag: FieldTag
        let bytes: ArraySlice<UInt8>

        package func integer<Value: FixedWidthInteger & BitwiseCopyable>(
            _ type: Value.Type = Value.self
        ) throws(WireError) -> Value {
            guard bytes.count == Value.bitWidth / 8 else {
                throw WireError(
                    "the field '\(tag)' has \(bytes.count) bytes instead of \(Value.bitWidth / 8)")
            }
            return Value(littleEndianBytes: bytes)
        }

        package func text() throws(WireError) -> String {
            try String(validatingUTF8: bytes, of: tag)
        }

        package var byteCount: Int {
            bytes.count
        }

        package var nested: FieldReader {
            FieldReader(bytes)
        }

        package var parts: PartReader {
            PartReader(bytes, of: tag)
        }
    }

    /// The bytes before a field's value: its tag and its length.
    fileprivate static let headByteCount = 6

    private let bytes: ArraySlice<UInt8>
    /// The place of the next field.
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Returns the next field whose tag is known; `nil` at the end. Throws if the remaining bytes are
    /// not a field. It is inlined, so that its caller copies no field.
    @inline(__always)
    package mutating func next() throws(WireError) -> Field? {
        while position < bytes.endIndex {
            let byteCountLeft = bytes.endIndex - position
            guard byteCountLeft >= Self.headByteCount else {
                throw WireError("\(byteCountLeft) bytes follow the last field")
            }
            let start = position + Self.headByteCount
            let number = UInt16(littleEndianBytes: bytes[position..<(position + 2)])
            let byteCount = Int(UInt32(littleEndianBytes: bytes[(position + 2)..<start]))
            guard bytes.endIndex - start >= byteCount else {
                throw WireError(
                    "the field \(number) states a length of \(byteCount) bytes, "
                        + "but only \(bytes.endIndex - start) bytes follow")
            }
            position = start + byteCount
            if let tag = FieldTag(rawValue: number) {
                return Field(tag: tag, bytes: bytes[start..<position])
            }
        }
        return nil
    }
}

// MARK: - Parts of a field

/// Writes the parts of a compact value: integers of their natural width, and texts, each after its
/// length in bytes (16 bits).
package struct PartWriter: Sendable {
    package fileprivate(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ value: some FixedWidthInteger) {
        bytes.append(littleEndian: value)
    }

    /// Writes a text. A text of more than 65,535 bytes, the largest length that fits, is cut between
    /// two Unicode scalars.
    package mutating func append(_ text: String) {
        let text = text.utf8
        let limit = text.index(
            text.startIndex, offsetBy: Int(UInt16.max), limitedBy: text.endIndex)
        var end = limit ?? text.endIndex
        while end < text.endIndex, UTF8.isContinuation(text[end]) {
            text.formIndex(before: &end)
        }
        let prefix = text[..<end]
        bytes.append(littleEndian: UInt16(prefix.count))
        bytes.append(contentsOf: prefix)
    }
}

/// Reads the parts that ``PartWriter`` wrote. Throws ``WireError`` where the value ends too early.
package struct PartReader: Sendable {
    private var rest: ArraySlice<UInt8>
    private let tag: FieldTag

    init(_ bytes: ArraySlice<UInt8>, of tag: FieldTag) {
        rest = bytes
        self.tag = tag
    }

    /// Whether all parts have been read. Newer peers may add parts at the end; older peers omit them.
    package var isAtEnd: Bool {
        rest.isEmpty
    }

    package mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        try Value(littleEndianBytes: take(Value.bitWidth / 8))
    }

    package mutating func text() throws(WireError) -> String {
        let byteCount: UInt16 = try integer()
        return try String(validatingUTF8: take(Int(byteCount)), of: tag)
    }

    /// Reads a text that may be absent at the end. Returns `nil` for an empty text too.
    package mutating func optionalText() throws(WireError) -> String? {
        guard !isAtEnd else {
            return nil
        }
        let text = try text()
        return text.isEmpty ? nil : text
    }

    private mutating func take(_ byteCount: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard rest.count >= byteCount else {
            throw WireError("the field '\(tag)' ends too early")
        }
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount)
    }
}

extension FixedWidthInteger where Self: BitwiseCopyable {
    /// Creates the integer that `bytes` encode, as many as its type has; the first one is the least
    /// significant one.
    @inlinable
    package init(littleEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.withUnsafeBytes { bytes in
            Self(littleEndian: bytes.loadUnaligned(as: Self.self))
        }
    }
}

extension String {
    init(validatingUTF8 bytes: ArraySlice<UInt8>, of tag: FieldTag) throws(WireError) {
        do throws(UTF8.ValidationError) {
            self = String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw WireError("the field '\(tag)' is not UTF-8")
        }
    }
}
