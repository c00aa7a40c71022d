// SPDX-License-Identifier: Apache-2.0

/// Keeps banned words out of the code of some files; comments and string literals may name them.
struct BannedWordRule {
    let words: [BannedWord]
    let appliesTo: @Sendable (SourceFile) -> Bool

    func findings(in file: SourceFile) -> [Finding] {
        guard appliesTo(file) else { return [] }
        return words.flatMap { word in
            word.lines(in: file.tokens).map { line in
                Finding(file.path, line: line, "'\(word.text)' is banned here: \(word.instead)")
            }
        }
    }
}
