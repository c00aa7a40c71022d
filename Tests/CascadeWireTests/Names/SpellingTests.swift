// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@Suite struct SpellingTests {
    @Test(arguments: [
        ("monitor", "monitor", 0), ("montior", "monitor", 1), ("monito", "monitor", 1),
        ("monnitor", "monitor", 1), ("mobitor", "monitor", 1), ("ca", "abc", 3), ("", "ab", 2),
    ])
    func `Distance counts insertions, deletions, substitutions and transpositions`(
        left: String, right: String, distance: Int
    ) {
        #expect(Spelling.distance(left, right, limit: 3) == distance)
        #expect(Spelling.distance(right, left, limit: 3) == distance)
    }

    @Test func `A distance above the limit is none`() {
        #expect(Spelling.distance("kitten", "sitting", limit: 3) == 3)
        #expect(Spelling.distance("kitten", "sitting", limit: 2) == nil)
        #expect(Spelling.distance("a", "abcdef", limit: 4) == nil)
    }

    @Test func `The nearest differs in case only, before one that differs in a letter`() {
        let names = ["OrderPlaced", "orderplacer", "Night"]
        #expect(Spelling.nearest(to: "orderplaced", among: names) == ["OrderPlaced"])
    }

    @Test func `Several as near as each other are suggested in order, and a beginning is near`() {
        #expect(Spelling.nearest(to: "bat", among: ["cat", "bar", "dog"]) == ["bar", "cat"])
        #expect(Spelling.nearest(to: "und", among: ["undelivered", "env"]) == ["undelivered"])
    }

    @Test func `A word that resembles nothing has no suggestion, nor has one that exists`() {
        #expect(Spelling.nearest(to: "zzz", among: ["OrderPlaced", "Night"]) == [])
        #expect(Spelling.nearest(to: "Night", among: ["Night"]) == [])
        #expect(Spelling.nearest(to: "x", among: []) == [])
        let long = String(repeating: "x", count: 1_025)
        #expect(Spelling.nearest(to: long, among: [long + "y"]) == [])
    }

    @Test func `The question names one, two or three`() {
        #expect(Spelling.question([]) == "")
        #expect(Spelling.question(["a"]) == "; did you mean 'a'?")
        #expect(Spelling.question(["a", "b"]) == "; did you mean 'a' or 'b'?")
        #expect(Spelling.question(["a", "b", "c"]) == "; did you mean 'a', 'b' or 'c'?")
    }
}
