// SPDX-License-Identifier: Apache-2.0

import Subprocess

/// A program of a demo. Its output is kept in part, and is shown if it ends by itself.
struct DemoProgram: Sendable {
    let name: String
    let arguments: [String]

    private static let lineCountMax = 10
    /// The time in which a program ends after SIGTERM. After that it is killed.
    private static let endDuration = Duration.seconds(5)

    /// Runs the program until the task is cancelled. Throws ``Stop`` if it ends before.
    ///
    /// - Parameter inspect: Is called with each line of the output.
    func run(_ inspect: @Sendable (String) -> Void = { _ in }) async throws {
        var options = PlatformOptions()
        options.teardownSequence = [
            .gracefulShutDown(allowedDurationToNextStep: Self.endDuration)
        ]
        // A terminal's signals reach the demo alone, which then ends its programs.
        options.processGroupID = 0
        let result = try await Subprocess.run(
            .name(name), arguments: Arguments(arguments), environment: ProgramPath.environment,
            platformOptions: options, input: .none, output: .sequence, error: .combinedWithOutput
        ) { execution in
            var lines: [String] = []
            for try await line in execution.standardOutput.strings() {
                inspect(line)
                lines = lines.suffix(Self.lineCountMax - 1) + [line]
            }
            return lines
        }
        try Task.checkCancellation()
        throw Stop(
            .failure,
            "\(name) has ended with \(result.terminationStatus.words):\n"
                + result.closureResult.joined(separator: "\n"))
    }
}
