// SPDX-License-Identifier: Apache-2.0

import Testing

/// Text that is neither a name nor a component of a path.
struct BadComponent: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String

    private init(_ what: String, _ text: String) {
        testDescription = what
        self.text = text
    }

    static let all = [
        BadComponent("empty", ""),
        BadComponent("dot", "."),
        BadComponent("parent", ".."),
        BadComponent("leading dash", "-rf"),
        BadComponent("leading colon", ":a"),
        BadComponent("leading dot", ".hidden"),
        BadComponent("wildcard", "*"),
        BadComponent("space", "a b"),
        BadComponent("slash", "a/b"),
        BadComponent("backslash", #"a\b"#),
        BadComponent("quote", "a'b"),
        BadComponent("NUL", "a\u{0}b"),
        BadComponent("line feed", "a\nb"),
        BadComponent("carriage return and line feed", "a\r\nb"),
        BadComponent("escape sequence", "\u{1B}[2J"),
        BadComponent("delete", "a\u{7F}"),
        BadComponent("right-to-left override", "a\u{202E}b"),
        BadComponent("right-to-left letter", "ش"),
        BadComponent("combining mark at the end", "a\u{301}"),
        BadComponent("combining mark in front", "\u{301}a"),
        BadComponent("zero-width joiner in front", "\u{200D}a"),
        BadComponent("Kelvin sign, equivalent to K", "\u{212A}"),
        BadComponent("full-width slash", "a／b"),
        BadComponent("emoji", "🍲"),
        BadComponent("10 kB", String(repeating: "a", count: 10_000)),
        BadComponent("10 kB of one character", "a" + String(repeating: "\u{301}", count: 5_000)),
    ]
}
