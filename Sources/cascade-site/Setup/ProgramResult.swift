// SPDX-License-Identifier: Apache-2.0

import Subprocess

/// The end of a program that a command has run, and all that it printed.
struct ProgramResult {
    let status: TerminationStatus
    let output: String

    private static let outputByteCountMax = 1_048_576

    /// Runs a program to its end. Throws ``Stop`` if it does not start.
    init(running program: String, _ arguments: [String]) async throws(Stop) {
        do {
            let result = try await Subprocess.run(
                .name(program), arguments: Arguments(arguments),
                environment: ProgramPath.environment,
                output: .string(limit: Self.outputByteCountMax), error: .combinedWithOutput)
            status = result.terminationStatus
            output = result.standardOutput
        } catch {
            throw Stop(
                .unavailable,
                ProgramPath.find(program) == nil
                    ? "cannot find the program '\(program)'" : "cannot run '\(program)': \(error)")
        }
    }

    var lastLine: String {
        output.split(separator: "\n").last.map(String.init) ?? status.words
    }
}

extension TerminationStatus {
    /// How the program has ended, for a sentence.
    var words: String {
        switch self {
        case .exited(let code): "status \(code)"
        case .signaled(let number): "signal \(number)"
        }
    }
}
