// SPDX-License-Identifier: Apache-2.0

import Testing

// The rules are only as good as their reading of Swift: these are the places where it could slip.
@Suite struct SyntaxTests {
    @Test(
        "Code is told from comments and string literals",
        arguments: [
            ("a // b", ["a"]),
            ("a /* b /* c */ d */ e", ["a", "e"]),
            (#"a "b" c"#, ["a", "c"]),
            (#"a "b \" c" d"#, ["a", "d"]),
            (#"a "// b" c"#, ["a", "c"]),
            (#"a "b \(c) d" e"#, ["a", "(", "c", ")", "e"]),
            (#"a "\(b("c", d))" e"#, ["a", "(", "b", "(", ",", "d", ")", ")", "e"]),
            (##"a #"b " \(c) \"# d"##, ["a", "d"]),
            (##"a #"\#(b)"# c"##, ["a", "(", "b", ")", "c"]),
            ("a \"\"\"\nb \"c\" d\n\"\"\" e", ["a", "e"]),
            ("a \"b\nc", ["a", "c"]),
        ]
    )
    func codeIsKept(text: String, expected: [String]) {
        let file = SourceFile(path: "Planted.swift", text: text)
        #expect(file.tokens.map(\.text) == expected)
    }

    @Test("A forced try is one token, and a negated condition after try is not one")
    func forcedTry() {
        #expect(Tokenizer.tokens(in: "try! a").map(\.text) == ["try!", "a"])
        #expect(Tokenizer.tokens(in: "try !a").map(\.text) == ["try", "!", "a"])
    }

    @Test("Tokens know their lines, and a word in backticks is one token")
    func tokens() {
        let tokens = Tokenizer.tokens(in: "func `two words`()\n\nend")
        #expect(tokens.map(\.text) == ["func", "`two words`", "(", ")", "end"])
        #expect(tokens.map(\.line) == [1, 1, 1, 1, 3])
    }

    @Test("Declarations and extensions are found with their names")
    func declarations() {
        let file = SourceFile(
            path: "Planted.swift",
            text: "package struct Broker: Sendable {\nenum State {} }\nextension Broker.State {}"
        )
        #expect(
            file.declarations == [
                Declaration(keyword: "struct", name: "Broker", line: 1),
                Declaration(keyword: "enum", name: "State", line: 2),
                Declaration(keyword: "extension", name: "Broker.State", line: 3),
            ]
        )
    }

    @Test("Function bodies are measured, and a requirement of a protocol has none")
    func functionBodies() {
        let text = """
            protocol Link {
                init(name: String)
                func submit(_ frame: Frame) throws(ZeroMQError) -> Int
                var isOpen: Bool { get }
            }
            struct Loopback: Link {
                init(name: String) { self.init(name, { $0 }) }
                func submit(_ frame: Frame, then: () -> Void = {}) throws(ZeroMQError) -> Int {
                    if frame.isEmpty {
                        return 0
                    }
                    return Frame.init().count
                }
            }
            """
        #expect(
            FunctionBody.all(in: Tokenizer.tokens(in: text)) == [
                FunctionBody(name: "init", line: 7, lineCount: 0),
                FunctionBody(name: "submit", line: 8, lineCount: 4),
            ]
        )
    }
}
