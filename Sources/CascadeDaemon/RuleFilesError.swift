// SPDX-License-Identifier: Apache-2.0

/// A file of rules cannot be read at all.
struct RuleFilesError: Error, CustomStringConvertible {
    let description: String

    init(_ file: String, _ reason: String) {
        description = "the rules in '\(file)' cannot be read: \(reason)"
    }
}
