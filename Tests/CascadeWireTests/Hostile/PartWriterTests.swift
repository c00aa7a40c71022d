// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// A text within a field has a 16-bit length. A peer's text may be longer, and may be a single
/// character.
@Suite struct PartWriterTests {
    @Test(arguments: [65_535, 65_536, 200_000])
    func `a text that is too long is cut to the greatest length`(byteCount: Int) {
        let written = written(String(repeating: "x", count: byteCount))
        #expect(written == [0xFF, 0xFF] + [UInt8](repeating: UInt8(ascii: "x"), count: 65_535))
    }

    @Test func `a text is cut between two scalars`() {
        let written = written(String(repeating: "é", count: 40_000))
        #expect(written.prefix(2) == [0xFE, 0xFF])
        #expect(String(validating: written.dropFirst(2), as: UTF8.self)?.utf8.count == 65_534)
    }

    @Test func `a text of one long character is cut too`() {
        let written = written("a" + String(repeating: "\u{301}", count: 100_000))
        #expect(written.prefix(2) == [0xFF, 0xFF])
    }

    private func written(_ text: String) -> [UInt8] {
        var parts = PartWriter()
        parts.append(text)
        return parts.bytes
    }
}
