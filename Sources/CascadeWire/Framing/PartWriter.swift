// SPDX-License-Identifier: Apache-2.0

/// Writes the parts of a compact value: integers of their natural width, texts with their length in
/// bytes (16 bits) in front.
package struct PartWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ value: some FixedWidthInteger) {
        bytes.append(littleEndian: value)
    }

    /// Text is cut, at a character, where it exceeds the 65,535 bytes that its length can say.
    package mutating func append(_ text: String) {
        var text = text[...]
        while text.utf8.count > Int(UInt16.max) {
            text = text.prefix(Int(UInt16.max) / 4)
        }
        bytes.append(littleEndian: UInt16(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}
