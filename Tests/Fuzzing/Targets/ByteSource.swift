// SPDX-License-Identifier: Apache-2.0

/// Takes what a run needs from the bytes that it is given; where they end, so does the run.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    /// So many bytes as the next two say, or as there are.
    mutating func block() -> [UInt8]? {
        guard let low = rest.popFirst(), let high = rest.popFirst() else {
            return nil
        }
        let block = rest.prefix(Int(low) | Int(high) << 8)
        rest = rest.dropFirst(block.count)
        return Array(block)
    }
}
