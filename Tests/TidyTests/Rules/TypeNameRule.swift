// SPDX-License-Identifier: Apache-2.0

/// Refuses type names that say nothing about the concept.
struct TypeNameRule {
    private static let emptyWords: Set = [
        "Helper", "Helpers", "Manager", "Managers", "Util", "Utilities", "Utility", "Utils",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.target != nil else { return [] }
        return file.declarations.filter { !$0.isExtension }.flatMap { declaration in
            Self.words(in: declaration.name).filter(Self.emptyWords.contains).map { word in
                Finding(
                    file.path,
                    line: declaration.line,
                    "\(declaration.name): '\(word)' names no concept; say what the type is"
                )
            }
        }
    }

    /// The words of a name in camel case: `PeerTable` is `Peer` and `Table`.
    private static func words(in name: String) -> [String] {
        name.reduce(into: []) { words, character in
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
    }
}
