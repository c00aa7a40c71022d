// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import Testing

@Suite struct JSONParsingTests {
    @Test func `a value keeps the order of members and the digits of numbers`() throws {
        let value = try JSONValue(
            parsing: #" {"b" : [1.0e+2, -0 ,null], "a":{"x":true,"x":false}} "#)
        #expect(
            value
                == .object([
                    .init(key: "b", value: .array([.number("1.0e+2"), .number("-0"), .null])),
                    .init(
                        key: "a",
                        value: .object([
                            .init(key: "x", value: true), .init(key: "x", value: false),
                        ])),
                ]))
        #expect(value["a"]?["x"] == .bool(false))
    }

    @Test func `a string is unescaped`() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00E9\uD83D\ude00é😀""#
        #expect(try JSONValue(parsing: text) == .string("\"\\/\u{8}\u{C}\n\r\té😀é😀"))
        #expect(try JSONValue(parsing: #""\u0000""#) == .string("\0"))
    }

    @Test(arguments: [
        ("", "expected a value at byte 1"),
        ("  ", "expected a value at byte 3"),
        ("nul", "expected a value at byte 1"),
        ("nulls", "expected the end at byte 5"),
        ("1 2", "expected the end at byte 3"),
        ("{}]", "expected the end at byte 3"),
        ("01", "expected the end at byte 2"),
        ("+1", "expected a value at byte 1"),
        ("-", "expected a digit at byte 2"),
        ("1.", "expected a digit at byte 3"),
        ("1e+", "expected a digit at byte 4"),
        (".5", "expected a value at byte 1"),
        ("[1,]", "expected a value at byte 4"),
        ("[1", "expected ',' or ']' in JSON at byte 3"),
        ("[1}", "expected ',' or ']' in JSON at byte 3"),
        ("[", "expected a value at byte 2"),
        ("{", "expected the name of a member in double quotes at byte 2"),
        ("{a:1}", "expected the name of a member in double quotes at byte 2"),
        (#"{"a":1,}"#, "expected the name of a member in double quotes at byte 8"),
        (#"{"a" 1}"#, "expected ':' after the name of a member at byte 6"),
        (#"{"a":}"#, "expected a value at byte 6"),
        (#"{"a":1"#, "expected ',' or '}' in JSON at byte 7"),
        (#"["a"#, "unterminated string at byte 2"),
        (#"["a\"#, "invalid escape at byte 4"),
        (#"["a\x"]"#, "invalid escape at byte 4"),
        (#"["\u00g0"]"#, #"expected four hexadecimal digits after '\u' at byte 3"#),
        (#"["\ud800"]"#, "unpaired surrogate at byte 3"),
        (#"["\ud800\n"]"#, "unpaired surrogate at byte 3"),
        (#"["\udc00\ud800"]"#, "unpaired surrogate at byte 3"),
        ("[\"a\u{1F}\"]", "unescaped control character in a string at byte 4"),
    ])
    func `an error names the offset of the fault`(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.description == message)
        #expect(error?.isTooDeep == false)
        // Skipping accepts the same texts. It ignores the end, so text after the value remains.
        guard !message.contains("the end at") else {
            return
        }
        let skipped = text.utf8.withRawBytes { bytes -> String? in
            var cursor = JSONCursor(bytes)
            do throws(JSONError) {
                try cursor.skipValue()
                return nil
            } catch {
                return error.description
            }
        }
        #expect(skipped == message)
    }

    static let notUTF8: [[UInt8]] = [
        [0x80], [0xC0, 0xAF], [0xC3], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
        Array("é".utf8.prefix(1)) + Array("\\n".utf8) + Array("é".utf8.suffix(1)),
    ]

    @Test(arguments: notUTF8) func `a string must be UTF-8, read or skipped`(bytes: [UInt8]) {
        let text = [0x22] + bytes + [0x22]
        #expect(throws: JSONError("the string is not UTF-8", at: 0)) {
            try JSONValue(parsing: text)
        }
        #expect(throws: JSONError("the string is not UTF-8", at: 0)) {
            try text.withRawBytes { bytes in
                Result {
                    var cursor = JSONCursor(bytes)
                    try cursor.skipValue()
                }
            }.get()
        }
    }

    @Test func `objects and arrays are nested up to the limit`() throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
            let levels = 8 / open.count { "[{".contains($0) }
            func text(_ count: Int) -> String {
                String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
            }
            #expect(try JSONValue(parsing: text(levels), depthMax: 8).text == text(levels))
            let error = #expect(throws: JSONError.self) {
                try JSONValue(parsing: text(levels + 1), depthMax: 8)
            }
            #expect(error?.isTooDeep == true)
            #expect(
                error?.description
                    == "nested more than 8 levels deep at byte \(open.utf8.count * levels + 1)")
        }
        #expect(try JSONValue(parsing: #"[[],[],{"a":[]}]"#, depthMax: 3) != .null)
    }

    @Test func `a skipped value may have any depth`() throws {
        let text =
            String(repeating: "[{\"a\":", count: 200_000)
            + String(repeating: "}]", count: 200_000)
        let error = text.utf8.withRawBytes { bytes in
            var cursor = JSONCursor(bytes)
            return Result { () throws(JSONError) in try cursor.skipValue() }
        }
        // The innermost member has no value.
        #expect(throws: JSONError("expected a value", at: 1_200_000)) { try error.get() }
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }
}
