// SPDX-License-Identifier: Apache-2.0

/// Limits the length of files and of their lines.
struct FileBudget {
    let sourceLinesMax: Int
    let testLinesMax: Int
    let lineCharactersMax: Int

    static let cascade = FileBudget(
        sourceLinesMax: 400,
        testLinesMax: 500,
        lineCharactersMax: 100
    )

    func longFileFindings(in file: SourceFile) -> [Finding] {
        let linesMax = file.isTest ? testLinesMax : sourceLinesMax
        let count = file.file.lines.count
        guard count > linesMax else { return [] }
        return [Finding(file.path, "\(count) lines, at most \(linesMax): split it by concept")]
    }

    /// A link cannot be broken, so a line that holds one may be longer.
    func longLineFindings(in file: SourceFile) -> [Finding] {
        file.file.lines.enumerated().compactMap { index, line in
            guard line.count > lineCharactersMax, !line.contains("://") else { return nil }
            let message = "\(line.count) characters, at most \(lineCharactersMax)"
            return Finding(file.path, line: index + 1, message)
        }
    }
}
