// SPDX-License-Identifier: Apache-2.0

extension ArraySlice<UInt8> {
    /// Returns the little-endian integer at an offset from the start.
    ///
    /// Precondition: the slice is long enough.
    func integer<Value: FixedWidthInteger>(
        at offset: Int, _ type: Value.Type = Value.self
    ) -> Value {
        let bytes = self[(startIndex + offset)..<(startIndex + offset + Value.bitWidth / 8)]
        return bytes.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}
