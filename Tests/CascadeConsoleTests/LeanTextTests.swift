// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeConsole

@Suite struct LeanTextTests {
    @Test(arguments: [
        ("  let a = b + 1;", "let a=b+1;"), ("return { a, ...b };", "return{a,...b};"),
        ("a + +b - -c + -d", "a+ +b- -c+-d"), ("x in y ? #z : 5", "x in y?#z:5"),
        ("  // A comment.", ""), ("  /* one */", ""), ("a = 'b : c' + d", "a='b : c'+d"),
        ("a = 'b\\' : c' + d", "a = 'b\\' : c' + d"),
        ("a = `b + ${c + `d + e`} f` + g", "a=`b + ${c + `d + e`} f`+g"),
        ("a = 'b / `c' + d", "a='b / `c'+d"),
        ("a = `b / \"c\"` + d", "a=`b / \"c\"`+d"), ("a = 'b + c", "a = 'b + c"),
        ("a / b", "a/b"), ("a /b/ + c", "a /b/ + c"), ("(a + b) / `c / d`", "(a+b)/`c / d`"),
        ("π => τ + 1", "π=>τ+1"), ("", ""),
    ])
    func `a line of a script loses spaces that mean nothing`(_ line: String, _ lean: String) {
        #expect(leanLine(line, .script) == lean)
    }

    @Test(arguments: [
        (".a > .b { color: red; top: 0 }", ".a > .b{color:red;top:0}"),
        ("  width: calc(1px + 2px);", "width:calc(1px + 2px);"),
        ("@media (max-width: 9px) and (x) {", "@media (max-width:9px) and (x){"),
        (".a :hover, .b {", ".a :hover,.b{"), ("content: \"; x\"", "content: \"; x\""),
    ])
    func `a line of a style sheet does too`(_ line: String, _ lean: String) {
        #expect(leanLine(line, .style) == lean)
    }

    @Test func `the page loses its indentation`() {
        #expect(leanLine("  <a title=\"x : y\">b + c</a>", .page) == "<a title=\"x : y\">b + c</a>")
    }

    @Test func `the licence stays, and each line has the number that it had`() {
        let text = "// The licence, x\n\n  // No more.\n  a ();\n"
        #expect(lean(text, .script) == "// The licence, x\n\n\na();\n")
    }

    @Test func `lines are joined behind the licence where a statement goes on or has ended`() {
        let text = "// x;\n\na({\nb,\n});\nc()\n=> d;\n"
        let joined = LeanText.joined(Array(text.utf8))
        #expect(String(decoding: joined, as: UTF8.self) == "// x;\na({b,});c()\n=> d;")
        let style = "/* x */\n\n.a {\n  top: 0;\n  left: 0\n}\n"
        #expect(lean(style, .style) == "/* x */\n.a{top:0;left:0\n}\n")
    }

    private func leanLine(_ line: String, _ form: LeanText.Form) -> String {
        let lines = lean("//\n" + line, form).split(
            separator: "\n", omittingEmptySubsequences: false)
        return String(lines[1])
    }

    private func lean(_ text: String, _ form: LeanText.Form) -> String {
        String(decoding: LeanText.lean(Array(text.utf8), form), as: UTF8.self)
    }
}
