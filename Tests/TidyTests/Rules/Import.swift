// SPDX-License-Identifier: Apache-2.0

/// An import declaration of a file.
struct Import: Equatable, Sendable {
    let module: String
    let line: Int

    /// What may stand between `import` and the module: `import struct Module.Type`.
    private static let kinds: Set = [
        "actor", "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
    ]

    static func all(in tokens: [Token]) -> [Import] {
        tokens.indices.compactMap { index in
            guard tokens[index].text == "import" else { return nil }
            let following = tokens[(index + 1)...].drop { kinds.contains($0.text) }
            guard let module = following.first, module.isWord else { return nil }
            return Import(module: module.text, line: tokens[index].line)
        }
    }
}
