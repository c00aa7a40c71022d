// SPDX-License-Identifier: Apache-2.0

/// Reads the fields that ``FieldWriter`` wrote, in order, skipping tags it does not know.
///
/// Fields are for what is said once: greetings, declarations, inspection. They are copied out of
/// the message; the header alone serves the steady state.
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

    /// The next field whose tag is known; `nil` at the end. Throws if what is left is no field.
    package mutating func next() throws(WireError) -> Field? {
        while !rest.isEmpty {
            guard rest.count >= 6 else {
                throw WireError("\(rest.count) bytes are left over behind the last field")
            }
            let number = UInt16(littleEndianBytes: rest.prefix(2))
            let byteCount = Int(UInt32(littleEndianBytes: rest.dropFirst(2).prefix(4)))
            let value = rest.dropFirst(6)
            guard value.count >= byteCount else {
                throw WireError(
                    "the field \(number) announces \(byteCount) bytes, \(value.count) are left")
            }
            rest = value.dropFirst(byteCount)
            if let tag = FieldTag(rawValue: number) {
                return Field(tag: tag, bytes: value.prefix(byteCount))
            }
        }
        return nil
    }
}
