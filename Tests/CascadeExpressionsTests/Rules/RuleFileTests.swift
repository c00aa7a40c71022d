// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import Testing

@Suite struct RuleFileTests {
    private func rule(_ text: String) throws -> Rule {
        try #require(try RuleFile.parse(text, file: "rules").first)
    }

    @Test func `a file has a rule on each line that is neither blank nor a comment`() throws {
        let text = """
            # the displays

            display == "watch" => details <= "minimal"
              details <= {"level": [1, "=> ; #"]} ; low   # whatever it is\r
            lineLimit <= 3 ; -5
            title <= todo.title
            """
        let rules = try RuleFile.parse(text, file: "rules")
        #expect(rules.map(\.line) == [3, 4, 5, 6])
        #expect(rules.map(\.column) == [1, 3, 1, 1])
        #expect(rules.map(\.key) == ["details", "details", "lineLimit", "title"])
        #expect(rules.map(\.priority) == [100, 50, -5, 100])
        #expect(rules.map(\.complexity) == [1, 0, 0, 0])
        #expect(
            rules.map(\.value) == [
                .json("\"minimal\""), .json(#"{"level": [1, "=> ; #"]}"#), .json("3"),
                .key("todo.title"),
            ])
        #expect(rules.map { $0.predicate?.description } == ["display == \"watch\"", nil, nil, nil])
    }

    @Test func `an arrow <= compares before => and assigns after it`() throws {
        let compared = try rule("a <= 3 => b <= 4")
        #expect(compared.predicate == (try Predicate("a <= 3")))
        #expect(compared.key == "b")
        #expect(compared.value == .json("4"))
        let given = try rule(#"a <= "b => c""#)
        #expect(given.predicate == nil)
        #expect(given.value == .json(#""b => c""#))
        #expect(try rule(#"a == "\"=>" => b <= true"#).predicate?.names == ["a"])
        #expect(try rule("a<=b=>c<=d;7").value == .key("d"))
    }

    @Test(arguments: [
        ("important", 1000), ("veryHigh", 200), ("high", 150), ("normal", 100), ("low", 50),
        ("veryLow", 5), ("fallback", 0), ("12", 12), ("-32768", -32_768), ("32767", 32_767),
    ])
    func `a priority is a name or a number`(text: String, priority: Int) throws {
        #expect(try rule("a <= null ; \(text)").priority == priority)
        #expect(try rule("a<=null;\(text)#").priority == priority)
    }

    @Test(arguments: ["null", "true", "-1.5", "\"x\"", "[]", "{}", "[1,{\"a\":[]}]", "trueish"])
    func `a value is JSON or a key`(text: String) throws {
        let expected: Rule.Value = text == "trueish" ? .key(text) : .json(text)
        #expect(try rule("a <= \(text)").value == expected)
    }

    @Test(arguments: [
        ("a", "f:1:2: expected '<=' after the key, or a '=>' before, found the end"),
        ("a == 1", "f:1:3: expected '<=' after the key, or a '=>' before, found '=='"),
        ("\n  => b <= 1", "f:2:3: expected a predicate, found '=>'"),
        ("a => ", "f:1:6: expected a key after '=>', found the end"),
        ("a => b", "f:1:7: expected '<=' after the key, found the end"),
        ("a => b == 1", "f:1:8: expected '<=' after the key, found '=='"),
        ("a => b <= # c", "f:1:11: expected a value after '<=', found the end"),
        ("a b => c <= 1", "f:1:3: expected '&&', '||' or '=>', found 'b'"),
        ("a == => c <= 1", "f:1:6: expected a value after '==', found '=>'"),
        ("# x\na <= 1\na <= [1,]", "f:3:9: expected a value"),
        ("a <= {\"b\" 1}", "f:1:11: expected ':' after the name of a member"),
        ("a <= \"b", "f:1:6: unterminated string"),
        ("a <= (b)", "f:1:6: expected a value"),
        ("a <= 1 2", "f:1:8: expected ';' or the end of the line, found '2'"),
        ("a <= 01", "f:1:7: expected ';' or the end of the line, found '1'"),
        ("a <= 1 ; 2 3", "f:1:12: expected the end of the line, found '3'"),
        ("3 <= 1", "f:1:1: expected a predicate or a key, found '3'"),
        ("a <= 1 ; 1.5", "f:1:10: a priority is an integer from -32768 to 32767, not '1.5'"),
        ("a <= 1 ; 99999", "f:1:10: a priority is an integer from -32768 to 32767, not '99999'"),
        (
            "a <= 1 ; urgent",
            "f:1:10: expected a priority (a number, important, veryHigh, high, normal, low, "
                + "veryLow, fallback) after ';', found 'urgent'"
        ),
    ])
    func `a file with an error is refused, naming file, line and column`(
        text: String, message: String
    ) {
        let error = #expect(throws: RuleFileError.self) { try RuleFile.parse(text, file: "f") }
        #expect(error?.description == message)
    }

    @Test func `a line that is too long is refused, and a deep value is not`() throws {
        let depth = 30_000
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try rule("a <= \(deep)").value == .json(deep))
        let long = "\na <= \"" + String(repeating: "x", count: RuleFile.lineByteCountMax) + "\""
        let error = #expect(throws: RuleFileError.self) { try RuleFile.parse(long, file: "f") }
        #expect(error?.error.line == 2)
    }

    @Test(arguments: [
        ("a&&b=>c<=[1]", "a && b => c <= [1]"), ("a<=b;100", "a <= b"),
        ("a<=b;150", "a <= b ; high"), ("a<=b;7", "a <= b ; 7"),
    ])
    func `the text of a rule reads back as the rule`(text: String, canonical: String) throws {
        #expect(try rule(text).description == canonical)
        #expect(try rule(canonical) == rule(text))
    }
}
