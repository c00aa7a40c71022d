// SPDX-License-Identifier: Apache-2.0

/// A file of keys cannot be used, as one sentence for a person.
package struct KeyFileError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
