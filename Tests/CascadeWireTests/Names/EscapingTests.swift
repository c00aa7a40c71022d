// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Escaped text can neither drive a terminal nor pass for other text.
@Suite struct EscapingTests {
    @Test(arguments: [
        ("plain text", "plain text"),
        ("", ""),
        ("a\u{0}b", #"a\u{0}b"#),
        ("\u{1B}[31m", #"\u{1b}[31m"#),
        ("\r\n\t", #"\r\n\t"#),
        (#"a\nb"#, #"a\\nb"#),
        ("\u{7F}\u{9B}", #"\u{7f}\u{9b}"#),
        ("e\u{301}", #"e\u{301}"#),
        ("\u{202E}gpj", #"\u{202e}gpj"#),
        ("🍲", #"\u{1f372}"#),
    ])
    func `characters other than printable ASCII are escaped`(text: String, shown: String) {
        #expect(text.escapedForDisplay() == shown)
    }

    @Test func `a long text is cut after a number of scalars`() {
        #expect("abcdef".escapedForDisplay(limit: 6) == "abcdef")
        #expect("abcdefg".escapedForDisplay(limit: 6) == "abcdef…")
        let marks = "a" + String(repeating: "\u{301}", count: 5_000)
        #expect(marks.escapedForDisplay(limit: 2) == #"a\u{301}…"#)
    }
}
