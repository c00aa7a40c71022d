// SPDX-License-Identifier: Apache-2.0

/// A piece of Swift that must not appear in code, and what to write instead.
struct BannedWord: Sendable {
    let text: String
    let instead: String

    /// An argument label that makes a banned call acceptable.
    let acceptedWith: String?

    init(_ text: String, instead: String, acceptedWith label: String? = nil) {
        self.text = text
        self.instead = instead
        acceptedWith = label
    }

    /// The lines on which the word begins.
    func lines(in tokens: [Token]) -> [Int] {
        let wanted = Tokenizer.tokens(in: text).map(\.text)
        return tokens.indices.compactMap { index in
            let candidate = tokens[index...].prefix(wanted.count)
            guard candidate.lazy.map(\.text).elementsEqual(wanted) else { return nil }
            return isAccepted(callEndingAt: candidate.endIndex, in: tokens)
                ? nil : tokens[index].line
        }
    }

    /// Whether the call whose arguments begin at the index carries the label that excuses it.
    private func isAccepted(callEndingAt index: Int, in tokens: [Token]) -> Bool {
        guard let acceptedWith else { return false }
        var openParentheses = 1
        for token in tokens[index...] {
            switch token.text {
            case "(": openParentheses += 1
            case ")": openParentheses -= 1
            case acceptedWith where openParentheses == 1: return true
            default: break
            }
            if openParentheses == 0 { return false }
        }
        return false
    }
}
