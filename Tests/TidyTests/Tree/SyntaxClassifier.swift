// SPDX-License-Identifier: Apache-2.0

/// Tells code from comments and string literals, byte by byte.
///
/// It knows nested block comments, raw and multiline strings, and interpolations, which are code
/// again. Regex literals count as code. A single-line string that is never closed ends with its
/// line, so one misread byte cannot hide the rest of a file.
struct SyntaxClassifier {
    private enum Context {
        case literal(StringDelimiter)
        case interpolation(openParentheses: Int)
    }

    private let bytes: [UInt8]
    private var kinds: [SyntaxKind] = []
    private var contexts: [Context] = []

    static func kinds(of bytes: [UInt8]) -> [SyntaxKind] {
        var classifier = SyntaxClassifier(bytes: bytes)
        while classifier.position < bytes.count {
            classifier.advance()
        }
        return classifier.kinds
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        kinds.reserveCapacity(bytes.count)
    }

    /// Every byte before it has been classified.
    private var position: Int { kinds.count }

    private mutating func advance() {
        if case .literal(let delimiter) = contexts.last {
            advanceInLiteral(delimiter)
        } else {
            advanceInCode()
        }
    }

    private mutating func advanceInCode() {
        if starts("//") {
            takeLineComment()
        } else if starts("/*") {
            takeBlockComment()
        } else if let delimiter = openingDelimiter() {
            take(delimiter.closing.count, as: .literal)
            contexts.append(.literal(delimiter))
        } else {
            countParenthesis()
            take(1, as: .code)
        }
    }

    private mutating func advanceInLiteral(_ delimiter: StringDelimiter) {
        let afterEscape = position + delimiter.escape.count
        if starts(delimiter.closing) {
            take(delimiter.closing.count, as: .literal)
            contexts.removeLast()
        } else if starts(delimiter.escape + [UInt8(ascii: "(")]) {
            take(delimiter.escape.count, as: .literal)
            take(1, as: .code)
            contexts.append(.interpolation(openParentheses: 1))
        } else if starts(delimiter.escape), afterEscape < bytes.count {
            take(delimiter.escape.count + 1, as: .literal)
        } else if bytes[position] == UInt8(ascii: "\n"), !delimiter.isMultiline {
            contexts.removeAll()
        } else {
            take(1, as: .literal)
        }
    }

    /// The delimiter of a string literal that begins here.
    private func openingDelimiter() -> StringDelimiter? {
        let quotation = bytes[position...].prefix(while: { $0 == UInt8(ascii: "#") }).endIndex
        guard starts("\"", at: quotation) else { return nil }
        return StringDelimiter(
            poundCount: quotation - position,
            isMultiline: starts("\"\"\"", at: quotation)
        )
    }

    /// An interpolation ends with the parenthesis that opened it.
    private mutating func countParenthesis() {
        guard case .interpolation(let count) = contexts.last else { return }
        switch bytes[position] {
        case UInt8(ascii: "("):
            contexts[contexts.count - 1] = .interpolation(openParentheses: count + 1)
        case UInt8(ascii: ")") where count == 1:
            contexts.removeLast()
        case UInt8(ascii: ")"):
            contexts[contexts.count - 1] = .interpolation(openParentheses: count - 1)
        default:
            break
        }
    }

    private mutating func takeLineComment() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
            take(1, as: .comment)
        }
    }

    private mutating func takeBlockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                take(2, as: .comment)
            } else if starts("*/") {
                depth -= 1
                take(2, as: .comment)
            } else {
                take(1, as: .comment)
            }
        } while depth > 0 && position < bytes.count
    }

    private mutating func take(_ count: Int, as kind: SyntaxKind) {
        kinds.append(contentsOf: repeatElement(kind, count: count))
    }

    private func starts(_ text: StaticString, at index: Int? = nil) -> Bool {
        text.withUTF8Buffer { bytes[(index ?? position)...].starts(with: $0) }
    }

    private func starts(_ prefix: [UInt8]) -> Bool {
        bytes[position...].starts(with: prefix)
    }
}
