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

    /// A flag is a field without a value.
    package mutating func append(_ tag: FieldTag, if condition: Bool) {
        if condition {
            begin(tag, byteCount: 0)
        }
    }

    /// Fields within a field.
    package mutating func append(_ tag: FieldTag, nested write: (inout FieldWriter) -> Void) {
        var inner = FieldWriter()
        write(&inner)
        begin(tag, byteCount: inner.bytes.count)
        bytes.append(contentsOf: inner.bytes)
    }

    /// A compact value of several parts in a fixed order.
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
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
