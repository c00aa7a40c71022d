// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A word of a line, and its column in characters, counted from 1.
struct PolicyWord {
    let text: String
    let column: Int

    /// The word as a message quotes it.
    var shown: String {
        "'\(text.escapedForDisplay(limit: 32))'"
    }

    /// Returns the words of a line up to a word that begins with `#`. A comma is a word of its own.
    static func words(of line: Substring) -> [PolicyWord] {
        var words: [PolicyWord] = []
        var text = ""
        var start = 0
        func end() {
            if !text.isEmpty {
                words.append(PolicyWord(text: text, column: start))
                text = ""
            }
        }
        for (index, character) in line.enumerated() {
            switch character {
            case " ", "\t", "\r":
                end()
            case ",":
                end()
                words.append(PolicyWord(text: ",", column: index + 1))
            case "#" where text.isEmpty:
                return words
            default:
                start = text.isEmpty ? index + 1 : start
                text.append(character)
            }
        }
        end()
        return words
    }
}
