// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeService

/// The syntax of a configuration file and the faults it reports.
@Suite struct SettingsTextTests {
    private func settings(_ text: String) -> [String: RawSetting] {
        let read = SettingsText(text, file: "f")
        #expect(read.faults.isEmpty, "\(read.faults)")
        return Dictionary(uniqueKeysWithValues: read.settings.map { ($0.key, $0.value) })
    }

    private func faults(_ text: String) -> [String] {
        SettingsText(text, file: "f").faults.map(\.description)
    }

    @Test func `values, sections and comments are read`() {
        let read = settings(
            """
            ---
            # A comment
            grace: 10s   # behind a value
            log:
              level: debug

              format: 'te''xt'
            rules: "a \\"b\\" # no comment"
            """)
        #expect(
            read == [
                "grace": .scalar("10s"), "log.level": .scalar("debug"),
                "log.format": .scalar("te'xt"), "rules": .scalar("a \"b\" # no comment"),
            ])
    }

    @Test(arguments: [
        "listen: [ipc:///a, 'ipc:///b']", "listen:\n  - ipc:///a\n  - ipc:///b",
        "listen:\n- ipc:///a\n- \"ipc:///b\"", "listen: [ ipc:///a , ipc:///b ] # two",
    ])
    func `a list is written in brackets or with dashes`(text: String) {
        #expect(settings(text) == ["listen": .list(["ipc:///a", "ipc:///b"])])
    }

    @Test func `a section may be written in braces`() {
        let read = settings("limits: {nodes: 5, causes: 7}\nlog: {}")
        #expect(read == ["limits.nodes": .scalar("5"), "limits.causes": .scalar("7")])
    }

    @Test func `a key without a value is empty`() {
        #expect(settings("limits:\n#  nodes: 1\ngrace: 1s")["limits"] == .empty)
    }

    @Test func `lines may end with CR LF`() {
        let read = settings("grace: 10s\r\nrules:\r\n  - 'a'\r\n  - b\r\n")
        #expect(read == ["grace": .scalar("10s"), "rules": .list(["a", "b"])])
    }

    @Test func `a quote ends a text even beside a combining or prepended mark`() {
        #expect(settings("a: '\u{600}'") == ["a": .scalar("\u{600}")])
        #expect(settings("a: \"x\u{600}\"") == ["a": .scalar("x\u{600}")])
        #expect(faults("a: 'x'\u{301}").first?.contains("is unexpected here") == true)
    }

    @Test func `a quoted text may contain escaped scalars`() {
        #expect(
            settings(#"a: "\x1B[\r\u2028\U0001F600""#)
                == ["a": .scalar("\u{1B}[\r\u{2028}\u{1F600}")])
    }

    @Test(arguments: ["\u{1B}", "\r", "\u{7F}", "\u{85}", "\0"])
    func `a control character is refused, quoted or not`(character: String) {
        for text in ["a: x\(character)y", "a: '\(character)y'", "a: \"\(character)y\""] {
            #expect(faults(text).first?.contains("a control character is not allowed here") == true)
        }
    }

    @Test func `braces are nested to a limited depth`() {
        let found = faults("b: " + String(repeating: "{a: ", count: 100_000))
        #expect(found.count == 1 && found[0].contains("8 braces deep"), "\(found)")
    }

    @Test(arguments: [
        ("grace 10s", "f:1:1: a key, a colon"),
        ("a: 1\n\tb: 2", "f:2:2: a tab indents this line"),
        ("a: 1\n  b: 2", "f:2:3: the indentation of this line matches none above"),
        ("a: [1, 2", "f:1:9: ',' or ']' is missing here"),
        ("a: {b: 1", "f:1:9: ',' or '}' is missing here"),
        ("a: 'open", "f:1:9: the closing quote ' is missing"),
        ("a: &anchor 1", "f:1:4: a value is expected here"),
        ("a: |", "f:1:4: a value is expected here"),
        ("a: b: c", "f:1:5: a value with a colon needs quotes"),
        ("- a", "f:1:3: a list element needs a key"),
        ("a: \"x\" y", "f:1:8: 'y' is unexpected here"),
        ("a: 1\na: 2", "f:2:1: a is already set at f:1:1"),
        ("a: \"\\q\"", "f:1:6: a backslash is followed by"),
        ("a: \"\\x1\"", "f:1:6: 2 digits of a Unicode scalar"),
        ("a: \"\\uD800\"", "f:1:6: 4 digits of a Unicode scalar"),
    ])
    func `a syntax fault is reported with its line and column`(text: String, fault: String) throws {
        let found = faults(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(fault) == true, "\(found)")
    }

    @Test func `every fault of a file is reported, and the other settings are read`() {
        let read = SettingsText("a b\ngrace: 1s\nc d", file: "f")
        #expect(read.faults.count == 2)
        #expect(read.settings.map(\.key) == ["grace"])
    }

    @Test(arguments: 0..<200)
    func `random text does not trap, and each fault has its place`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ab:-[]{}'\"\\#, \n\t\u{e9}|&")
        let count = Int.random(in: 0...80, using: &generator)
        let text = String((0..<count).compactMap { _ in alphabet.randomElement(using: &generator) })
        let read = SettingsText(text, file: "f")
        let lineCount = text.unicodeScalars.count { $0 == "\n" } + 1
        for fault in read.faults {
            let words = fault.description.split(separator: ":", maxSplits: 3)
            #expect(words.count == 4 && words[0] == "f", "\(fault)")
            let line = try #require(Int(words[1]), "\(fault)")
            #expect((1...lineCount).contains(line), "\(fault)")
        }
        // A key that is set twice is a fault at its second place.
        let keys = read.settings.map(\.key)
        let repeated = read.faults.filter { $0.description.contains("is already set at") }
        #expect(keys.count - Set(keys).count == repeated.count, "\(text): \(read.faults)")
    }
}
