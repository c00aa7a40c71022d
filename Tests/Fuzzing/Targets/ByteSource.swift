// SPDX-License-Identifier: Apache-2.0

/// A reader of the bytes of an input, which determine the steps of a run.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Returns the next byte; `nil` at the end.
    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    /// Reads a length of two bytes, and returns that number of bytes, or fewer at the end. Returns `nil`
    /// without a length.
    mutating func block() -> [UInt8]? {
        guard let low = rest.popFirst(), let high = rest.popFirst() else {
            return nil
        }
        let block = rest.prefix(Int(low) | Int(high) << 8)
        rest = rest.dropFirst(block.count)
        return Array(block)
    }
}
