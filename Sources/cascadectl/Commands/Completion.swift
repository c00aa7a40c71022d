// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Prints a completion script for a shell.
struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a completion script for a shell.",
        discussion: """
            Example: cascadectl completion bash > ~/.local/share/bash-completion/completions/cascadectl
            """)

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

// MARK: - Bash

/// A completion script for bash, adapted from the argument parser's.
///
/// Bash splits words at colons and equals signs, so that the parser's script would misread every
/// argument after `--bus ipc:///run/…`. This script joins the parts before the parser's functions
/// read them. The parser's registration also treats every candidate as a file: a node `/etc` would
/// complete to a directory.
struct BashCompletion {
    private static let registration = "complete -o filenames -F _cascadectl cascadectl"

    /// The argument parser's script.
    let generated: String

    /// The adapted script; the parser's own if its form is unknown.
    var script: String {
        guard let range = generated.range(ofLast: Self.registration) else {
            return generated
        }
        return generated.replacingCharacters(in: range, with: Self.wrapper)
    }

    private static let wrapper = #"""
        __cascadectl_add_completions() {
            [[ "${1}" = -W ]] || compopt -o filenames 2>/dev/null
            local completion
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        }

        # Bash has taken words apart at colons and equals signs; what no space separates is one
        # word. An option and its value are two.
        __cascadectl_whole_words() {
            local remaining="${COMP_LINE:0:${COMP_POINT}}" word
            local -i index
            for ((index = 0; index <= COMP_CWORD; index++)); do
                word="${COMP_WORDS[${index}]}"
                if [[ "${index}" -eq 0 || "${remaining}" = [[:space:]]* ]]; then
                    remaining="${remaining#"${remaining%%[![:space:]]*}"}"
                    whole_words+=('')
                elif [[ "${word}" = '=' && "${whole_words[-1]}" = --* ]]; then
                    remaining="${remaining:1}"
                    whole_words+=('')
                    continue
                fi
                [[ "${index}" -lt "${COMP_CWORD}" ]] || word="${remaining}"
                whole_words[-1]+="${word}"
                remaining="${remaining:${#word}}"
            done
        }

        _cascadectl_whole() {
            local -a whole_words=()
            __cascadectl_whole_words
            local -a COMP_WORDS=("${whole_words[@]}")
            local -i COMP_CWORD="$((${#whole_words[@]} - 1))"
            local -r word="${whole_words[-1]}"
            local COMP_LINE="${whole_words[*]}"
            local -i COMP_POINT="${#COMP_LINE}"
            _cascadectl "${1}" "${word}" "${COMP_WORDS[COMP_CWORD - 1]}"
            # Bash puts in what stands behind the last colon only.
            if [[ "${word}" = *:* && "${COMP_WORDBREAKS}" = *:* ]]; then
                COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
            fi
        }

        complete -F _cascadectl_whole cascadectl
        """#
}

extension String {
    fileprivate func range(ofLast text: String) -> Range<String.Index>? {
        ranges(of: text).last
    }

    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String
    {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
