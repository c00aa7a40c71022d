// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A text with `*` for any text, also for none, and `?` for one character.
struct Pattern: Sendable {
    /// Matching takes as many steps as pattern and text have bytes, multiplied.
    private static let byteCountMax = 1_024

    private let bytes: [UInt8]

    init(_ text: String) throws(WireError) {
        guard text.utf8.count <= Self.byteCountMax else {
            throw WireError(
                .badPredicate,
                "the pattern has \(text.utf8.count) bytes, more than \(Self.byteCountMax)")
        }
        bytes = Array(text.utf8)
    }

    /// Names and paths are ASCII, so a character is a byte.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        var place = 0
        var read = 0
        // Behind the last star, and where what it stands for ends at the earliest.
        var star: (behind: Int, end: Int)?
        while read < text.count {
            if place < bytes.count, bytes[place] == UInt8(ascii: "*") {
                place += 1
                star = (place, read)
            } else if place < bytes.count,
                bytes[place] == text[read] || bytes[place] == UInt8(ascii: "?")
            {
                place += 1
                read += 1
            } else if let last = star {
                star = (last.behind, last.end + 1)
                place = last.behind
                read = last.end + 1
            } else {
                return false
            }
        }
        return bytes[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
