// SPDX-License-Identifier: Apache-2.0

/// A file of rules cannot be read at all.
struct RuleFilesError: Error, CustomStringConvertible {
    let description: String

    /// A reload takes nothing, whatever of it was wrong.
    init(refusing faults: String) {
        description = "reload refused: \(faults)"
    }

    init(_ file: String, _ reason: String) {
        description = "the rules in '\(file)' cannot be read: \(reason)"
    }
}
