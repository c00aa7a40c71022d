// SPDX-License-Identifier: Apache-2.0

/// A file of rules, read by the shell.
package struct RuleModelFile: Equatable, Sendable {
    /// What people call it.
    package var file: String
    package var text: String

    package init(file: String, text: String) {
        self.file = file
        self.text = text
    }
}
