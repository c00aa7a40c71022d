// SPDX-License-Identifier: Apache-2.0

/// Writes the parts of a compact value: integers of their natural width, texts with their length in
/// bytes (16 bits) in front.
package struct PartWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ value: some FixedWidthInteger) {
        bytes.append(littleEndian: value)
    }

    /// Text is cut, between two Unicode scalars, where it exceeds the 65,535 bytes that its length
    /// can say.
    package mutating func append(_ text: String) {
        let text = text.utf8
        let limit = text.index(
            text.startIndex, offsetBy: Int(UInt16.max), limitedBy: text.endIndex)
        var end = limit ?? text.endIndex
        while end < text.endIndex, UTF8.isContinuation(text[end]) {
            text.formIndex(before: &end)
        }
        let kept = text[..<end]
        bytes.append(littleEndian: UInt16(kept.count))
        bytes.append(contentsOf: kept)
    }
}
