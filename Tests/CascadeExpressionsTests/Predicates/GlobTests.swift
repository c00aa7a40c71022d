// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeTestSupport
import Testing

@Suite struct GlobTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        let literal = Scalar.string(pattern).description
        return try Predicate("a ~ \(literal)").evaluate { _ in .string(text) }
    }

    @Test(arguments: [
        ("", ""), ("*", ""), ("*", "abc"), ("**", ""), ("?", "é"), ("?", "😀"), ("??", "e\u{301}"),
        ("a*c", "ac"), ("a*c", "abcbc"), ("*a*", "bab"), ("a?c", "aéc"), ("*?", "é"), ("?*?", "ab"),
        ("/kitchen/*", "/kitchen/"), ("*.txt", "a.txt.txt"), ("é*", "éa"), (#"\*"#, #"\x"#),
    ])
    func `a pattern matches`(pattern: String, text: String) throws {
        #expect(try matches(pattern, text))
    }

    @Test(arguments: [
        ("", "a"), ("a", ""), ("a", "A"), ("?", ""), ("?", "ab"), ("??", "é"), ("?*?", "é"),
        ("a*c", "abcb"), ("/kitchen/*", "/kitchen"), ("é", "e\u{301}"), ("a.c", "abc"),
        ("[a]", "a"),
    ])
    func `a pattern does not match`(pattern: String, text: String) throws {
        #expect(try !matches(pattern, text))
    }

    @Test func `random patterns match as a naive matcher does`() async throws {
        var generator = SeededGenerator(seed: 4)
        let letters: [Unicode.Scalar] = ["a", "b", "é", "😀", "ê"]
        for round in 0..<6000 {
            // Other tests must not wait for all of this one.
            await Task.yield()
            let few = round.isMultiple(of: 2) ? 2 : letters.count
            let scale = round.isMultiple(of: 10) ? 150 : 8
            let text = (0..<Int.random(in: 0..<scale, using: &generator)).map { _ in
                letters[Int.random(in: 0..<few, using: &generator)]
            }
            let pattern = Self.pattern(like: text, using: &generator)
            let expected = Self.naive(pattern[...], text[...])
            let shown = (Self.string(pattern), Self.string(text))
            #expect(try matches(shown.0, shown.1) == expected, "\(shown)")
        }
    }

    @Test func `a pattern with many possible matches takes linear time`() throws {
        let pattern = String(repeating: "a*", count: 1000) + "b"
        #expect(try !matches(pattern, String(repeating: "a", count: 200_000)))
        let other = "*" + String(repeating: "a", count: 1000) + "?b*"
        #expect(try !matches(other, String(repeating: "a", count: 200_000)))
    }

    /// The text with some scalars replaced, so that patterns match often enough.
    private static func pattern(
        like text: [Unicode.Scalar], using generator: inout SeededGenerator
    ) -> [Unicode.Scalar] {
        var pattern: [Unicode.Scalar] = []
        var stars = 0
        for scalar in text {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0 where stars < 4, 1 where stars < 4:
                pattern.append("*")
                stars += 1
            case 2, 3: pattern.append("?")
            case 4 where text.count < 10: pattern.append("a")
            case 5 where text.count < 10: break
            default: pattern.append(scalar)
            }
        }
        return pattern
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    private static func naive(
        _ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else {
            return text.isEmpty
        }
        if first == "*" {
            return naive(pattern.dropFirst(), text)
                || !text.isEmpty && naive(pattern, text.dropFirst())
        }
        guard let scalar = text.first, first == "?" || first == scalar else {
            return false
        }
        return naive(pattern.dropFirst(), text.dropFirst())
    }
}
