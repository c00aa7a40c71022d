// SPDX-License-Identifier: Apache-2.0

/// A policy cannot be read, as one sentence for a person, with file, line and column where there
/// are any.
struct PolicyFilesError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
