// SPDX-License-Identifier: Apache-2.0

/// A rule file that cannot be read, or that other users may have changed.
struct RuleFilesError: Error, CustomStringConvertible {
    let description: String

    init(_ error: GuardedFileError) {
        description = "the rules in '\(error.path)' cannot be read: \(error.reason)"
    }
}
