// SPDX-License-Identifier: Apache-2.0

/// Scripts and style sheets without indentation, comments that are lines of their own, and needless spaces.
///
/// Each line of a script stays, so that its number in a message about an error is that of the source; those of
/// style sheets are joined, and those of a bundle too. The first, the licence, stays whole, and so do texts, and
/// each line that may have a pattern in it.
enum LeanText {
    enum Form {
        case script
        case style
        /// The page itself, which loses its indentation only.
        case page
    }

    /// Returns a file as it is served.
    static func lean(_ bytes: [UInt8], _ form: Form) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for line in bytes.split(separator: newline, omittingEmptySubsequences: false) {
            if !result.isEmpty || line.startIndex > 0 {
                result.append(newline)
            }
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if line.startIndex == 0 || form == .page {
                result += text
            } else if !isComment(text) {
                append(text, to: &result, form)
            }
        }
        return form == .style ? joined(result) : result
    }

    /// Returns a script or style sheet without empty lines, and without the ends of lines that end in the middle of
    /// a statement or behind it. The first line stays.
    static func joined(_ bytes: [UInt8]) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        let lines = bytes.split(separator: newline)
        var result = Array(lines.first ?? [])
        result.reserveCapacity(bytes.count)
        result.append(newline)
        for line in lines.dropFirst() {
            result += line
            if let last = line.last, !"{,;(".utf8.contains(last) {
                result.append(newline)
            }
        }
        return result
    }

    private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
        text.starts(with: "//".utf8)
            || text.starts(with: "/*".utf8) && text.suffix(2).elementsEqual("*/".utf8)
    }

    private static func append(
        _ text: ArraySlice<UInt8>, to result: inout [UInt8], _ form: Form
    ) {
        guard let isText = texts(in: text, form) else {
            result += text
            return
        }
        for (index, isText) in zip(text.indices, isText) {
            let byte = text[index]
            let isWithin = index > text.startIndex && index + 1 < text.endIndex
            if byte == UInt8(ascii: " "), isWithin, !isText,
                isNeedless(between: text[index - 1], text[index + 1], form)
            {
                continue
            }
            result.append(byte)
        }
    }

    /// Returns which bytes of a line belong to texts; `nil` if there may be a pattern, or an escape.
    ///
    /// What is between the first and the last mark of a template is taken for text, because templates may be
    /// within one.
    private static func texts(in line: ArraySlice<UInt8>, _ form: Form) -> [Bool]? {
        let tick = UInt8(ascii: "`")
        let templatesEnd = line.lastIndex(of: tick) ?? line.startIndex
        var isQuoted = false
        var isTemplate = false
        var result: [Bool] = []
        result.reserveCapacity(line.count)
        for index in line.indices {
            if isTemplate {
                isTemplate = index < templatesEnd
                result.append(true)
                continue
            }
            switch line[index] {
            case tick where form == .script && !isQuoted: isTemplate = index < templatesEnd
            case UInt8(ascii: "'") where form == .script: isQuoted.toggle()
            case UInt8(ascii: "\\"): return nil
            // Between two spaces it divides: no pattern of the page ends or begins so.
            case UInt8(ascii: "/") where form == .script && isBetweenSpaces(index, in: line): break
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), tick:
                if !isQuoted { return nil }
            default: break
            }
            result.append(isQuoted)
        }
        return isQuoted ? nil : result
    }

    private static func isBetweenSpaces(_ index: Int, in line: ArraySlice<UInt8>) -> Bool {
        let space = UInt8(ascii: " ")
        return index > line.startIndex && index + 1 < line.endIndex && line[index - 1] == space
            && line[index + 1] == space
    }

    /// Whether a space between two characters means nothing.
    private static func isNeedless(
        between before: UInt8, _ after: UInt8, _ form: Form
    ) -> Bool {
        switch form {
        case .script:
            // 'a + +b' is not 'a ++b'.
            let isSign = before == UInt8(ascii: "+") || before == UInt8(ascii: "-")
            return !(isOfWord(before) && isOfWord(after)) && !(isSign && before == after)
        case .style:
            switch (before, after) {
            case (UInt8(ascii: "{"), _), (UInt8(ascii: ":"), _), (UInt8(ascii: ";"), _),
                (UInt8(ascii: ","), _), (_, UInt8(ascii: "{")), (_, UInt8(ascii: "}")):
                return true
            default: return false
            }
        case .page: return false
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "#"), 0x80...:
            true
        default: false
        }
    }
}
