// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeTestSupport
import Testing

/// Values from a seeded generator are written and read back.
@Suite struct JSONRoundTripTests {
    @Test(arguments: 0..<20) func `a written value reads back as it was`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = Self.value(depthMax: 4, &generator)
            let text = value.text
            #expect(try JSONValue(parsing: text) == value, "seed \(seed)")
            #expect(try JSONValue(parsing: Self.spaced(text, &generator)) == value, "seed \(seed)")
            // Every reader covers the same bytes.
            let end = try text.utf8.withRawBytes { bytes in
                Result {
                    var cursor = JSONCursor(bytes)
                    try cursor.skipValue()
                    return cursor.offset
                }
            }.get()
            #expect(end == text.utf8.count, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<20) func `a prefix of an object or array is not JSON`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let value = JSONValue.array([Self.value(depthMax: 3, &generator)])
        let bytes = Array(value.text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: bytes.prefix(count)) }
        }
    }

    @Test func `characters that drive a terminal are written escaped`() throws {
        let text = "\u{1B}[31m\u{7F}\u{202E}\u{FEFF}\u{2028}\u{E000}\u{E0001}\r\n"
        let written = JSONValue.string(text).text
        #expect(!written.unicodeScalars.contains { $0.controlsTerminal })
        #expect(try JSONValue(parsing: written) == .string(text))
    }

    // MARK: - Random values

    private static func value(
        depthMax: Int, _ generator: inout SeededGenerator
    ) -> JSONValue {
        switch generator.below(depthMax > 0 ? 8 : 6) {
        case 0: return .null
        case 1: return .bool(generator.isLucky(50))
        case 2: return .integer(Int64(bitPattern: generator.next()))
        case 3:
            return .number(generator.pick(["-0", "1.50", "1E400", "0.1e-07", "9007199254740993"]))
        case 4, 5: return .string(string(&generator))
        case 6:
            return .array(
                (0..<generator.below(4)).map { _ in
                    value(depthMax: depthMax - 1, &generator)
                })
        default:
            return .object(
                (0..<generator.below(4)).map { _ in
                    JSONValue.Member(
                        key: string(&generator), value: value(depthMax: depthMax - 1, &generator))
                })
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        let edges: [Unicode.Scalar] = [
            "a", " ", "\"", "\\", "/", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{301}", "\u{202E}",
            "\u{D7FF}", "\u{E000}", "\u{FFFF}", "😀", "\u{10FFFF}",
        ]
        var text = ""
        for _ in 0..<generator.below(6) {
            text.unicodeScalars.append(generator.pick(edges))
        }
        return text
    }

    /// The text with white space around each token outside of strings.
    private static func spaced(_ text: String, _ generator: inout SeededGenerator) -> String {
        var spaced = ""
        var isString = false
        var isEscaped = false
        for scalar in text.unicodeScalars {
            let isPunctuation = !isString && "{}[]:,".unicodeScalars.contains(scalar)
            let space = isPunctuation ? generator.pick([" ", "\n\t", "\r", ""]) : ""
            spaced += space
            spaced.unicodeScalars.append(scalar)
            spaced += space
            isString = scalar == "\"" && !isEscaped ? !isString : isString
            isEscaped = isString && !isEscaped && scalar == "\\"
        }
        return spaced
    }
}
