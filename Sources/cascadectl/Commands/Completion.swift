// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Prints a completion script for a shell.
struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a completion script for a shell.")

    /// The supported shells.
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

    @Argument(help: "Shell that the script is for.")
    var shell: Shell

    func run() {
        let generated = Cascadectl.completionScript(for: shell.shell)
        Output.line(shell == .bash ? BashCompletion(generated: generated).script : generated)
    }
}
