// SPDX-License-Identifier: Apache-2.0

/// The reason why a policy cannot be read, as one sentence with file, line and column if known.
struct PolicyFilesError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
