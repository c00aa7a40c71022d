// SPDX-License-Identifier: Apache-2.0

/// Reads the parts that ``PartWriter`` wrote; throws where the value ends too early.
package struct PartReader: Sendable {
    private var rest: ArraySlice<UInt8>
    private let tag: FieldTag

    init(_ bytes: ArraySlice<UInt8>, of tag: FieldTag) {
        rest = bytes
        self.tag = tag
    }

    /// Whether parts follow: newer peers may add some at the end, older ones leave them out.
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

    /// A text that may be left out at the end, or be empty where there is none.
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
    init(littleEndianBytes bytes: ArraySlice<UInt8>) {
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
