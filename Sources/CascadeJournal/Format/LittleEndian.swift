// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

extension ArraySlice<UInt8> {
    /// The number that stands so many bytes behind the start.
    ///
    /// Precondition: the slice is long enough.
    func integer<Value: FixedWidthInteger>(
        at offset: Int, _ type: Value.Type = Value.self
    ) -> Value {
        let bytes = self[(startIndex + offset)..<(startIndex + offset + Value.bitWidth / 8)]
        return bytes.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}
