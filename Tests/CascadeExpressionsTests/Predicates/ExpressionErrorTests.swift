// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import Testing

/// The position and the text of errors, since predicates are often written in a shell.
@Suite struct ExpressionErrorTests {
    @Test(arguments: [
        ("a == && b", "1:6: expected a value after '==', found '&&'"),
        ("a ==", "1:5: expected a value after '==', found the end"),
        ("", "1:1: expected a predicate, found the end"),
        (" \n  ", "2:3: expected a predicate, found the end"),
        ("a &&", "1:5: expected a condition after '&&', found the end"),
        ("a || || b", "1:6: expected a condition after '||', found '||'"),
        ("!", "1:2: expected a condition after '!', found the end"),
        ("()", "1:2: expected a condition after '(', found ')'"),
        ("(a", "1:3: expected '&&', '||' or ')', found the end"),
        ("a)", "1:2: expected '&&', '||' or the end, found ')'"),
        ("a b", "1:3: expected '&&', '||' or the end, found 'b'"),
        ("a == b == c", "1:8: expected '&&', '||' or the end, found '=='"),
        ("a = 1", "1:3: '=' is not an operator; use '=='"),
        ("a & b", "1:3: expected '&&', found '&'"),
        ("a | b", "1:3: expected '||', found '|'"),
        ("a == 'b'", "1:6: a string needs double quotes"),
        ("a == \"b", "1:6: unterminated string"),
        (#"a == "b\x""#, "1:8: invalid escape"),
        (#"a == "\ud800""#, "1:7: unpaired surrogate"),
        (#"a == "\udc00\ud800""#, "1:7: unpaired surrogate"),
        (#"a == "\u12g4""#, "1:7: expected four hexadecimal digits after '\\u'"),
        ("a == \"b\nc\"", "1:8: unescaped control character in a string"),
        ("a\n&& é", "2:4: unexpected '\\u{e9}'"),
        ("\"éé\" == \u{1B}", "1:9: unexpected '\\u{1b}'"),
        ("a == 01", "1:6: '01' is neither a number nor a name"),
        ("a == 1a", "1:6: '1a' is neither a number nor a name"),
        ("a == 1.", "1:6: '1.' is neither a number nor a name"),
        ("a == -", "1:6: '-' is neither a number nor a name"),
        ("a == 1e999", "1:6: the number '1e999' is out of range"),
        ("!a == 1", "1:1: '!' needs parentheses around the comparison after it"),
        ("\"a\" && b", "1:1: '\"a\"' alone is not a condition; compare it with a value"),
        ("a || 3", "1:6: '3' alone is not a condition; compare it with a value"),
        ("null", "1:1: 'null' alone is not a condition; compare it with a value"),
        ("a ~ b", "1:5: expected a pattern in double quotes after '~', found 'b'"),
        ("a ~ 3", "1:5: expected a pattern in double quotes after '~', found '3'"),
        ("a => b", "1:3: expected '&&', '||' or the end, found '=>'"),
        ("a # b", "1:3: unexpected '#'"),
    ])
    func `an error names its position and the offending text`(text: String, message: String) {
        let error = #expect(throws: ExpressionError.self) { try Predicate(text) }
        #expect(error?.description == message)
    }

    @Test(arguments: ["(", "!", "!(", "((!"])
    func `a predicate nested too deep is refused`(_ opening: String) throws {
        let error = #expect(throws: ExpressionError.self) {
            try Predicate(String(repeating: opening, count: 1000) + "a")
        }
        #expect(error?.description == "1:65: '(' and '!' nest more than 64 deep")
        #expect(throws: ExpressionError.self) {
            try Predicate(String(repeating: opening, count: 100_000))
        }
    }

    @Test func `a predicate of the maximum depth is read, printed and evaluated`() throws {
        let text = String(repeating: "!", count: Predicate.depthMax) + "a"
        let predicate = try Predicate(text)
        #expect(predicate.description == text)
        #expect(predicate.evaluate { _ in .boolean(true) })
        let groups = String(repeating: "(", count: 64) + "a" + String(repeating: ")", count: 64)
        #expect(try Predicate(groups) == Predicate("a"))
    }

    @Test func `a predicate that is too long is refused, as written or as printed`() throws {
        let limit = Predicate.byteCountMax
        #expect(try Predicate(String(repeating: "a", count: limit)).names.count == 1)
        let message = "1:1: the predicate has more than \(limit) bytes"
        let comparisons = Array(repeating: "a==1", count: 600).joined(separator: "||")
        for text in [String(repeating: "a", count: limit + 1), comparisons] {
            let error = #expect(throws: ExpressionError.self) { try Predicate(text) }
            #expect(error?.description == message)
        }
    }
}
