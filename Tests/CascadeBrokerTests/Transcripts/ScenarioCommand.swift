// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// One line of a scenario: a verb, words, and options written `key=value`.
struct ScenarioCommand {
    /// The fault of a line; it becomes the line's output.
    struct Unusable: Error {
        let reason: String
    }

    /// Lines of files follow these verbs, in which `=` is not special.
    private static let verbsWithLines = ["load", "rules-diff", "policy"]

    let verb: String
    private(set) var words: [String] = []
    private(set) var options: [(key: String, value: String)] = []

    init(_ line: some StringProtocol) {
        let parts = line.split(separator: " ").map { Self.unescaped($0) }
        verb = parts.first ?? ""
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if Self.verbsWithLines.contains(verb) {
                words.append(part)
            } else if sides.count == 2, !sides[0].contains(":"), !sides[0].contains("{") {
                options.append((String(sides[0]), String(sides[1])))
            } else {
                words.append(part)
            }
        }
    }

    func word(_ place: Int) throws(Unusable) -> String {
        guard place < words.count else {
            throw Unusable(reason: "'\(verb)' needs more words")
        }
        return words[place]
    }

    func has(_ flag: String) -> Bool {
        words.contains(flag)
    }

    func option(_ key: String) -> String? {
        options.last { $0.key == key }?.value
    }

    func number<Value: FixedWidthInteger>(
        _ key: String, or missing: Value
    ) throws(Unusable) -> Value {
        guard let text = option(key) else {
            return missing
        }
        guard let number = Value(text) else {
            throw Unusable(reason: "'\(text)' is no number")
        }
        return number
    }

    func milliseconds(_ key: String, or missing: UInt32) throws(Unusable) -> UInt32 {
        guard let text = option(key) else {
            return missing
        }
        return try Self.milliseconds(text)
    }

    static func milliseconds(_ text: String) throws(Unusable) -> UInt32 {
        guard let span = TimeSpan(text) else {
            throw Unusable(reason: "'\(text)' is no time")
        }
        return span.milliseconds
    }

    /// `\u{…}` is a Unicode scalar by its number, and `\s` is a space.
    private static func unescaped(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let kind = rest.popFirst() else {
                result.append(scalar)
                continue
            }
            if kind == "u" {
                let digits = rest.dropFirst().prefix { $0 != "}" }
                rest = rest.dropFirst(digits.count + 2)
                let number = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
                result.append(number.flatMap(Unicode.Scalar.init) ?? "?")
            } else {
                result.append(kind == "s" ? " " : kind)
            }
        }
        return String(result)
    }
}
