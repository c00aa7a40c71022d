// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Prints a script that completes this program's arguments in a shell.
struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a script that completes arguments in a shell.")

    /// The shells that have one.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var shell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() {
        let generated = Cascadectl.completionScript(for: shell.shell)
        Output.line(shell == .bash ? BashCompletion(generated: generated).script : generated)
    }
}
