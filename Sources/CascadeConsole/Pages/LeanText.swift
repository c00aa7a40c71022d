// SPDX-License-Identifier: Apache-2.0

/// Scripts and style sheets without indentation, comments that are lines of their own, and needless spaces.
///
/// Each line stays, so that its number in a message about an error is that of the source. The first, the licence, stays
/// whole, and so do texts, and each line that may have a pattern or a template in it.
enum LeanText {
    enum Form {
        case script
        case style
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
            if line.startIndex == 0 {
                result += text
            } else if !isComment(text) {
                append(text, to: &result, form)
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
        let quote = UInt8(ascii: "'")
        let isHard = text.contains { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "/"), UInt8(ascii: "\\"): true
            default: form == .style && byte == quote
            }
        }
        guard !isHard else {
            result += text
            return
        }
        var isText = false
        for index in text.indices {
            let byte = text[index]
            isText = byte == quote ? !isText : isText
            let isWithin = index > text.startIndex && index + 1 < text.endIndex
            if byte == UInt8(ascii: " "), isWithin, !isText,
                isNeedless(between: text[index - 1], text[index + 1], form)
            {
                continue
            }
            result.append(byte)
        }
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
