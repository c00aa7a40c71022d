// SPDX-License-Identifier: Apache-2.0

/// Limits the length of function bodies.
///
/// The exemptions are a ratchet: they may only shrink, for one that is no longer needed is itself a
/// finding.
struct FunctionBudget {
    /// A function that may be longer, and why.
    struct Exemption: Sendable {
        let path: String
        let function: String
        let reason: String
    }

    let bodyLinesMax: Int
    let exemptions: [Exemption]

    static let cascade = FunctionBudget(bodyLinesMax: 60, exemptions: [])

    func findings(in file: SourceFile) -> [Finding] {
        longBodies(in: file).filter { exemption(for: $0, in: file) == nil }.map { body in
            let message = "\(body.name): \(body.lineCount) lines, at most \(bodyLinesMax)"
            return Finding(file.path, line: body.line, message)
        }
    }

    func needlessExemptionFindings(in files: [SourceFile]) -> [Finding] {
        exemptions.filter { exemption in
            !files.contains { file in
                file.path == exemption.path
                    && longBodies(in: file).contains { $0.name == exemption.function }
            }
        }
        .map { Finding($0.path, "\($0.function) keeps its budget: remove the exemption") }
    }

    private func longBodies(in file: SourceFile) -> [FunctionBody] {
        FunctionBody.all(in: file.tokens).filter { $0.lineCount > bodyLinesMax }
    }

    private func exemption(for body: FunctionBody, in file: SourceFile) -> Exemption? {
        exemptions.first { $0.path == file.path && $0.function == body.name }
    }
}
