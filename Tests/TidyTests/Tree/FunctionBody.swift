// SPDX-License-Identifier: Apache-2.0

/// The body of a function, initializer or deinitializer: what its length is measured on.
struct FunctionBody: Equatable, Sendable {
    let name: String
    let line: Int

    /// The lines strictly between the braces.
    let lineCount: Int

    /// What cannot stand between a signature and its body: meeting one means there is no body.
    private static let endsBodilessSignature: Set = [
        "}", "associatedtype", "case", "class", "deinit", "enum", "extension", "func", "init",
        "let", "protocol", "struct", "subscript", "typealias", "var",
    ]

    static func all(in tokens: [Token]) -> [FunctionBody] {
        tokens.indices.compactMap { index in
            guard let name = functionName(at: index, in: tokens),
                let opening = openingBrace(after: index, in: tokens),
                let closing = closingBrace(of: opening, in: tokens)
            else { return nil }
            let lineCount = max(0, tokens[closing].line - tokens[opening].line - 1)
            return FunctionBody(name: name, line: tokens[index].line, lineCount: lineCount)
        }
    }

    private static func functionName(at index: Int, in tokens: [Token]) -> String? {
        let previous = index > 0 ? tokens[index - 1].text : ""
        let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
        return switch tokens[index].text {
        case "func": next
        case "init" where previous != "." && ["(", "?", "<"].contains(next): "init"
        case "deinit": "deinit"
        default: nil
        }
    }

    private static func openingBrace(after index: Int, in tokens: [Token]) -> Int? {
        var openParentheses = 0
        for candidate in tokens[(index + 1)...].indices {
            switch tokens[candidate].text {
            case "(": openParentheses += 1
            case ")": openParentheses -= 1
            case "{" where openParentheses == 0: return candidate
            case let text where openParentheses == 0 && endsBodilessSignature.contains(text):
                return nil
            default: break
            }
        }
        return nil
    }

    private static func closingBrace(of opening: Int, in tokens: [Token]) -> Int? {
        var openBraces = 0
        for candidate in tokens[opening...].indices {
            switch tokens[candidate].text {
            case "{": openBraces += 1
            case "}": openBraces -= 1
            default: break
            }
            if openBraces == 0 { return candidate }
        }
        return nil
    }
}
