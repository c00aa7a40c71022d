// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// A parser for one line of a policy file.
struct PolicyParser {
    enum Statement {
        case rule(PolicyRule)
        case omitDefault
    }

    private let text: Substring
    private let file: String
    private let line: Int
    private let names: PolicyNames
    private var words: ArraySlice<PolicyWord>
    /// The column after the last word.
    private let endColumn: Int

    init(_ text: Substring, file: String, line: Int, names: PolicyNames) {
        self.text = text
        self.file = file
        self.line = line
        self.names = names
        let words = PolicyWord.words(of: text.prefix(PolicyFile.lineLengthMax))
        self.words = words[...]
        endColumn = words.last.map { $0.column + $0.text.count } ?? 1
    }

    /// Returns the statement of the line; `nil` for an empty line or a comment.
    mutating func statement() throws(PolicyError) -> Statement? {
        guard text.count <= PolicyFile.lineLengthMax else {
            throw error("the line has more than \(PolicyFile.lineLengthMax) characters", at: 1)
        }
        guard let first = words.first else {
            return nil
        }
        words.removeFirst()
        switch first.text {
        case "allow", "deny": return .rule(try rule(isAllowing: first.text == "allow", first))
        case "default": return try defaultStatement()
        default: throw error(expected: "'allow', 'deny' or 'default'", found: first)
        }
    }

    private mutating func defaultStatement() throws(PolicyError) -> Statement {
        let word = try next("'none' after 'default'")
        guard word.text == "none" else {
            throw error(expected: "'none' after 'default'", found: word)
        }
        try expectEnd()
        return .omitDefault
    }

    // MARK: - Rules

    private mutating func rule(
        isAllowing: Bool, _ first: PolicyWord
    ) throws(PolicyError) -> PolicyRule {
        let verbs = try verbs()
        let pattern = try pattern()
        let link = try next("'to' after the path")
        guard link.text == "to" else {
            throw error(expected: "'to' after the path", found: link)
        }
        let subject = try subject()
        try expectEnd()
        let written = text.dropFirst(first.column - 1).prefix(endColumn - first.column)
        return PolicyRule(
            isAllowing: isAllowing, verbs, pattern, subject,
            at: position(first.column), text: String(written))
    }

    private mutating func verbs() throws(PolicyError) -> PolicyVerbs {
        var verbs: PolicyVerbs = []
        while true {
            let word = try next("a verb")
            if word.text == "all" {
                verbs.formUnion(.all)
            } else if let verb = PolicyVerb(name: word.text) {
                verbs.insert(PolicyVerbs(verb))
            } else {
                let known = PolicyVerb.allCases.map(\.name).joined(separator: ", ")
                throw error(expected: "a verb (\(known), or all)", found: word)
            }
            guard words.first?.text == "," else {
                return verbs
            }
            words.removeFirst()
        }
    }

    private mutating func pattern() throws(PolicyError) -> PathPattern {
        let word = try next("',' and a verb, or a path")
        guard word.text.hasPrefix("/") else {
            throw error(expected: "',' and a verb, or a path", found: word)
        }
        guard let pattern = PathPattern(word.text) else {
            throw error("the path \(word.shown) has an empty component", at: word.column)
        }
        return pattern
    }

    private mutating func subject() throws(PolicyError) -> PolicySubject {
        let kinds = "'user', 'group', 'unit', 'key' or 'everyone'"
        let kind = try next(kinds)
        switch kind.text {
        case "everyone": return .everyone
        case "unit": return .unit(Glob(try next("a unit after 'unit'").text))
        case "key": return .key(Glob(try next("a name after 'key'").text))
        case "user":
            let word = try next("a user after 'user'")
            return .user(try number(of: word, "user", names.userID))
        case "group":
            let word = try next("a group after 'group'")
            return .group(try number(of: word, "group", names.groupID))
        default: throw error(expected: kinds, found: kind)
        }
    }

    /// Returns the ID of a user or group. An unknown name is an error, because a rule for it would have
    /// no effect.
    private func number(
        of word: PolicyWord, _ what: String, _ known: (String) -> UInt32?
    ) throws(PolicyError) -> UInt32 {
        // The greatest number is reserved; it is not the ID of a user or group.
        if let number = UInt32(word.text), number < .max {
            return number
        }
        guard let number = known(word.text) else {
            throw error("there is no \(what) \(word.shown)", at: word.column)
        }
        return number
    }

    // MARK: - Words

    private mutating func next(_ what: String) throws(PolicyError) -> PolicyWord {
        guard let word = words.popFirst() else {
            throw error("expected \(what), found the end of the line", at: endColumn)
        }
        return word
    }

    private func expectEnd() throws(PolicyError) {
        if let word = words.first {
            throw error(expected: "the end of the line", found: word)
        }
    }

    private func error(expected what: String, found word: PolicyWord) -> PolicyError {
        error("expected \(what), found \(word.shown)", at: word.column)
    }

    private func error(_ message: String, at column: Int) -> PolicyError {
        PolicyError(message, at: position(column))
    }

    private func position(_ column: Int) -> PolicyRule.Position {
        PolicyRule.Position(file: file, line: line, column: column)
    }
}

/// A word of a line, and its column in characters, counted from 1.
struct PolicyWord {
    let text: String
    let column: Int

    /// The word as error messages quote it.
    var shown: String {
        "'\(text.escapedForDisplay(limit: 32))'"
    }

    /// Returns the words of a line up to the comment. A comma is a word of its own.
    static func words(of line: Substring) -> [PolicyWord] {
        var words: [PolicyWord] = []
        var text = ""
        var start = 0
        func end() {
            if !text.isEmpty {
                words.append(PolicyWord(text: text, column: start))
                text = ""
            }
        }
        for (index, character) in line.enumerated() {
            switch character {
            case " ", "\t", "\r":
                end()
            case ",":
                end()
                words.append(PolicyWord(text: ",", column: index + 1))
            case "#" where text.isEmpty:
                return words
            default:
                start = text.isEmpty ? index + 1 : start
                text.append(character)
            }
        }
        end()
        return words
    }
}
