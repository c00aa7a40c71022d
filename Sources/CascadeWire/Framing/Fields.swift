// SPDX-License-Identifier: Apache-2.0

/// Writes fields: each a tag (16 bits), a length in bytes (32 bits) and the value, little-endian.
///
/// Values are integers of their natural width, UTF-8 text without a terminator, or a list of parts
/// as ``append(_:parts:)`` writes them.
package struct FieldWriter: Sendable {
    /// The fields written so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ tag: FieldTag, _ value: some FixedWidthInteger) {
        begin(tag, byteCount: value.bitWidth / 8)
        bytes.append(littleEndian: value)
    }

    package mutating func append(_ tag: FieldTag, _ text: String) {
        begin(tag, byteCount: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
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
        begin(tag, byteCount: inner.bytes.count)
        bytes.append(contentsOf: inner.bytes)
    }

    /// Writes a compact value of several parts in a fixed order.
    package mutating func append(_ tag: FieldTag, parts write: (inout PartWriter) -> Void) {
        var parts = PartWriter()
        write(&parts)
        begin(tag, byteCount: parts.bytes.count)
        bytes.append(contentsOf: parts.bytes)
    }

    private mutating func begin(_ tag: FieldTag, byteCount: Int) {
        bytes.append(littleEndian: tag.rawValue)
        bytes.append(littleEndian: UInt32(byteCount))
    }
}

extension [UInt8] {
    @inlinable
    package mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

/// Reads the fields that ``FieldWriter`` wrote, in order, and skips unknown tags.
///
/// The fields are copied out of the message. Rare messages have them: greetings, declarations,
/// inspection. Frequent messages need only the header.
package struct FieldReader: Sendable {
    /// One field, its value not yet interpreted.
    package struct Field: Sendable {
        package let tag: FieldTag
        let bytes: ArraySlice<UInt8>

        package func integer<Value: FixedWidthInteger>(
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

    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Returns the next field whose tag is known; `nil` at the end. Throws if the remaining bytes are
    /// not a field.
    package mutating func next() throws(WireError) -> Field? {
        while !rest.isEmpty {
            guard rest.count >= 6 else {
                throw WireError("\(rest.count) bytes follow the last field")
            }
            let number = UInt16(littleEndianBytes: rest.prefix(2))
            let byteCount = Int(UInt32(littleEndianBytes: rest.dropFirst(2).prefix(4)))
            let value = rest.dropFirst(6)
            guard value.count >= byteCount else {
                throw WireError(
                    "the field \(number) states a length of \(byteCount) bytes, "
                        + "but only \(value.count) bytes follow")
            }
            rest = value.dropFirst(byteCount)
            if let tag = FieldTag(rawValue: number) {
                return Field(tag: tag, bytes: value.prefix(byteCount))
            }
        }
        return nil
    }
}

// MARK: - Parts of a field

/// Writes the parts of a compact value: integers of their natural width, and texts, each after its
/// length in bytes (16 bits).
package struct PartWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

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

    package mutating func integer<Value: FixedWidthInteger>(
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

extension FixedWidthInteger {
    /// Creates the integer that `bytes` encode; its first byte is the least significant one.
    @inlinable
    package init(littleEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension String {
    init(validatingUTF8 bytes: ArraySlice<UInt8>, of tag: FieldTag) throws(WireError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw WireError("the field '\(tag)' is not UTF-8")
        }
        self = text
    }
}
