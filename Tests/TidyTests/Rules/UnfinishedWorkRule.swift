// SPDX-License-Identifier: Apache-2.0

/// Refuses comments that put work off: it is done, or it is an issue.
struct UnfinishedWorkRule {
    private static let marks: Set = ["FIXME", "TODO", "XXX"]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.target != nil else { return [] }
        return file.commentTokens.filter { Self.marks.contains($0.text) }.map { token in
            Finding(file.path, line: token.line, "\(token.text): do it now, or drop the comment")
        }
    }
}
