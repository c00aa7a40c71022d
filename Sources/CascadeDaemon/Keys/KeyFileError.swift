// SPDX-License-Identifier: Apache-2.0

/// A file of keys cannot be used, as one sentence for a person.
struct KeyFileError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
