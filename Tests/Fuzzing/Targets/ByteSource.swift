// SPDX-License-Identifier: Apache-2.0

/// Reads the steps of a run from the given bytes; the run ends with them.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    /// As many bytes as the next two bytes say, or as are left.
    mutating func block() -> [UInt8]? {
        guard let low = rest.popFirst(), let high = rest.popFirst() else {
            return nil
        }
        let block = rest.prefix(Int(low) | Int(high) << 8)
        rest = rest.dropFirst(block.count)
        return Array(block)
    }
}
