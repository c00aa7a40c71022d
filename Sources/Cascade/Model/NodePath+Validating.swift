// SPDX-License-Identifier: Apache-2.0

extension NodePath {
    /// Creates a path from text that comes from outside the program, such as an option or a file.
    ///
    /// Throws ``CascadeError``, which quotes the fault, if the text is not a path. In code a path
    /// is a literal: `let mount: NodePath = "/shop"`.
    public init(validating text: String) throws {
        do {
            try self.init(text)
        } catch {
            throw CascadeError(.badName, error.description)
        }
    }
}
