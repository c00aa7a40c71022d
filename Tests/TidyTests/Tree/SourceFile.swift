// SPDX-License-Identifier: Apache-2.0

/// A Swift file of the repository, read once into the tokens that the rules look at.
struct SourceFile: Sendable {
    let file: TextFile

    /// The words and marks of the code, without comments and string literals.
    let tokens: [Token]

    /// The words and marks of the comments.
    let commentTokens: [Token]

    init(_ file: TextFile) {
        let bytes = Array(file.text.utf8)
        let kinds = SyntaxClassifier.kinds(of: bytes)
        self.file = file
        tokens = Tokenizer.tokens(in: Self.keep(.code, of: bytes, kinds: kinds))
        commentTokens = Tokenizer.tokens(in: Self.keep(.comment, of: bytes, kinds: kinds))
    }

    init(path: String, text: String) {
        self.init(TextFile(path: path, text: text))
    }

    var path: String { file.path }

    /// The folder of `Sources` that the file belongs to, or nothing outside `Sources`.
    var target: String? {
        let components = path.split(separator: "/")
        return components.count > 2 && components[0] == "Sources" ? String(components[1]) : nil
    }

    var isTest: Bool { path.hasPrefix("Tests/") }

    /// The names that the file gives to types, and the types that it extends.
    var declarations: [Declaration] {
        Declaration.all(in: tokens)
    }

    /// The bytes of one kind, the others blanked so that line numbers stay.
    private static func keep(
        _ wanted: SyntaxKind,
        of bytes: [UInt8],
        kinds: [SyntaxKind]
    ) -> [UInt8] {
        zip(bytes, kinds).map { byte, kind in
            kind == wanted || byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
        }
    }
}
