// SPDX-License-Identifier: Apache-2.0

extension NodePath {
    /// The path that a text from outside the program spells, an option or a file.
    ///
    /// Throws ``CascadeError`` that quotes the offence if the text is no path. What the program
    /// itself spells is a literal: `let mount: NodePath = "/shop"`.
    public init(validating text: String) throws {
        do {
            try self.init(text)
        } catch {
            throw CascadeError(.badName, error.description)
        }
    }
}
