// SPDX-License-Identifier: Apache-2.0

/// A type that a file declares or extends.
struct Declaration: Equatable, Sendable {
    let keyword: String

    /// The name as written: `Broker`, or `Propagation.State` in an extension.
    let name: String

    let line: Int

    var isExtension: Bool { keyword == "extension" }

    private static let keywords: Set = [
        "actor", "class", "enum", "extension", "macro", "protocol", "struct", "typealias",
    ]

    static func all(in tokens: [Token]) -> [Declaration] {
        tokens.indices.compactMap { index in
            guard keywords.contains(tokens[index].text) else { return nil }
            let name = dottedName(in: tokens[(index + 1)...])
            guard !name.isEmpty else { return nil }
            return Declaration(keyword: tokens[index].text, name: name, line: tokens[index].line)
        }
    }

    private static func dottedName(in tokens: ArraySlice<Token>) -> String {
        var name = ""
        for token in tokens {
            let continuesName = name.isEmpty || name.hasSuffix(".")
            guard token.isWord ? continuesName : token.text == "." && !continuesName else { break }
            name += token.text
        }
        return name
    }
}
