// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// The confirmation of changes to more than one node.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "Do not ask for confirmation if more than one node is affected.")
    var yes = false

    /// Whether a user can answer a question.
    private var isOnTerminal: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// Asks for confirmation if more than one node is affected. Throws ``Stop`` if the answer is
    /// no.
    ///
    /// - Parameters:
    ///   - verb: The change, as in "Detach".
    ///   - isNeeded: Whether `--yes` is required without a terminal.
    func confirm(_ verb: String, _ paths: [NodePath], isNeeded: Bool) throws {
        guard !yes, paths.count > 1 else {
            return
        }
        guard isOnTerminal else {
            if isNeeded {
                throw Stop(
                    .usage, "this would affect \(paths.count) nodes; confirm it with --yes")
            }
            return
        }
        Output.question("\(verb) \(paths.count) nodes: \(Self.summary(paths))? [y/N] ")
        guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
            throw Stop(.failure, "nothing was changed")
        }
    }

    private static func summary(_ paths: [NodePath]) -> String {
        let shown = paths.prefix(5).map(\.description).joined(separator: ", ")
        return paths.count > 5 ? shown + ", …" : shown
    }
}
