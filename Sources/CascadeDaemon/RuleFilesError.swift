// SPDX-License-Identifier: Apache-2.0

/// A rule file that cannot be read.
struct RuleFilesError: Error, CustomStringConvertible {
    let description: String

    init(_ file: String, _ reason: String) {
        description = "the rules in '\(file)' cannot be read: \(reason)"
    }
}
