// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeTestSupport
import Testing

@Suite struct TopLevelScalarsTests {
    private func scalars(_ text: String) -> TopLevelScalars {
        TopLevelScalars(text.utf8)
    }

    @Test func `only scalar members of the top level are found`() {
        let found = scalars(
            #" {"a":1, "b" : "x", "c":true,"d":false,"e":null,"f":{"g":2},"h":[3], "i":-1.5e2 } "#)
        #expect(found["a"] == .number(Number(1)))
        #expect(found["b"] == .string("x"))
        #expect(found["c"] == .boolean(true))
        #expect(found["d"] == .boolean(false))
        #expect(found["e"] == .null)
        #expect(found["i"] == .number(Number(-150)))
        #expect(found["g"] == nil)
        #expect(found.count == 6)
    }

    @Test func `the last member of a name counts, even if it is not a scalar`() {
        #expect(scalars(#"{"a":1,"a":2}"#)["a"] == .number(Number(2)))
        #expect(scalars(#"{"a":1,"\u0061":2}"#)["a"] == .number(Number(2)))
        #expect(scalars(#"{"a":1,"a":{}}"#).count == 0)
        #expect(scalars(#"{"a":1,"a":1e999}"#).count == 0)
        #expect(scalars(#"{"a":[],"a":1}"#)["a"] == .number(Number(1)))
    }

    @Test func `members that no predicate can name are omitted`() {
        let found = scalars(#"{"":1,"1a":2,"\u212a":3,"a b":4,"true":5,"K":6}"#)
        #expect(found["K"] == .number(Number(6)))
        #expect(found.count == 1)
    }

    @Test func `strings are unescaped`() {
        let text = #"{"a":"\"\\\/\b\f\n\r\t\u00E9\uD83D\ude00é😀"}"#
        #expect(scalars(text)["a"] == .string("\"\\/\u{8}\u{C}\n\r\té😀é😀"))
        #expect(scalars(#"{"a":"\u0000"}"#)["a"] == .string("\0"))
    }

    @Test func `integers are exact`() {
        let found = scalars(#"{"a":9007199254740993,"b":9223372036854775807,"c":1E2,"d":-0}"#)
        #expect(found["a"] == .number(Number(9_007_199_254_740_993)))
        #expect(found["b"] == .number(Number(Int64.max)))
        #expect(found["c"] == .number(Number(100)))
        #expect(found["d"] == .number(Number(0)))
    }

    @Test(arguments: [
        "", " ", "1", "\"a\"", "null", "[{\"a\":1}]", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1",
        "{\"a\":1,}", "{,\"a\":1}", "{\"a\":1 \"b\":2}", "{a:1}", "{\"a\":1}x", "{\"a\":1}{}",
        "{\"a\":01}", "{\"a\":+1}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":1e}", "{\"a\":-}",
        "{\"a\":NaN}", "{\"a\":tru}", "{\"a\":truely}", "{\"a\":'b'}", "{\"a\":\"b}", "{\"a\":\"\\",
        "{\"a\":\"\\x\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\udc00\"}", "{\"a\":\"\\u00g0\"}", "{\"a\":\"\\u00", "{\"a\":\"\u{1}\"}",
        "{\"a\":1,\"b\":[1,]}", "{\"a\":1,\"b\":[1 2]}", "{\"a\":1,\"b\":{\"c\"}}",
        "{\"a\":1,\"b\":{\"c\":1,}}", "{\"a\":1,\"b\":[}}", "{\"a\":1,\"b\":{]}",
        "{\"a\":1,\"b\":[[[\"\\ud800\"]]]}", "{\"a\":1,\"b\":[01]}", "\u{FEFF}{\"a\":1}",
    ])
    func `text that is not a JSON object has no members`(text: String) {
        #expect(scalars(text).count == 0)
    }

    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func `bytes that are not UTF-8 have no members, wherever they occur`(bad: [UInt8]) {
        for (before, after) in [
            ("{\"a\":\"", "\"}"), ("{\"", "\":1}"), ("{\"a\":1,\"b\":[\"", "\"]}"),
            ("{\"a\":1,\"b\":[\"\\n", "\\n\\u00e9\"]}"),
        ] {
            #expect(TopLevelScalars(Array(before.utf8) + bad + Array(after.utf8)).count == 0)
        }
        let halves = Array("{\"a\":1,\"b\":[\"".utf8) + [0xC3] + Array("\\n".utf8) + [0xA9]
        #expect(TopLevelScalars(halves + Array("\"]}".utf8)).count == 0)
    }

    @Test func `nested values of any depth are skipped`() {
        for (open, close) in [("[", "]"), ("{\"x\":", "}")] {
            let deep =
                String(repeating: open, count: 100_000) + "1"
                + String(repeating: close, count: 100_000)
            #expect(scalars("{\"a\":1,\"b\":\(deep),\"c\":2}").count == 2)
            #expect(scalars("{\"a\":1,\"b\":\(deep.dropLast()),\"c\":2}").count == 0)
            #expect(scalars("{\"a\":1,\"b\":" + String(repeating: open, count: 100_000)).count == 0)
        }
    }

    @Test func `random objects have their members, and their prefixes have none`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<1000 {
            var expected: [String: Scalar] = [:]
            var members: [String] = []
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                let name = Formula.anyName(using: &generator)
                if Bool.random(using: &generator) {
                    let side = Formula.scalars.randomElement(using: &generator) ?? .null
                    expected[name] = side
                    members.append("\"\(name)\" : \(Formula.Side.value(side).text)")
                } else {
                    expected[name] = nil
                    members.append("\"\(name)\":\(Self.nested(depth: 4, using: &generator))")
                }
            }
            let text = "{" + members.joined(separator: " ,\n") + "}"
            let found = scalars(text)
            #expect(found.count == expected.count, "\(text)")
            #expect(expected.allSatisfy { found[$0.key] == $0.value }, "\(text)")
            let cut = Int.random(in: 0..<text.utf8.count, using: &generator)
            #expect(TopLevelScalars(text.utf8.prefix(cut)).count == 0)
        }
    }

    @Test func `randomly changed bytes have at most the original members`() {
        var generator = SeededGenerator(seed: 6)
        let text = Array(#"{"a":"\u00e9é","b":[{"c":[1.5e3,true]},null],"d":-1,"e":{}}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1..<4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            #expect(TopLevelScalars(bytes).count <= 3)
        }
    }

    private static func nested(depth: Int, using generator: inout SeededGenerator) -> String {
        let count = Int.random(in: 0..<3, using: &generator)
        let isObject = Bool.random(using: &generator)
        let parts = (0..<count).map { _ in
            let value =
                depth > 0 && Bool.random(using: &generator)
                ? nested(depth: depth - 1, using: &generator)
                : Formula.Side.value(Formula.scalars.randomElement(using: &generator) ?? .null).text
            return isObject ? "\"a\" : \(value)" : " \(value) "
        }
        return (isObject ? "{" : "[ ") + parts.joined(separator: ",") + (isObject ? " }" : "]")
    }
}
