// SPDX-License-Identifier: Apache-2.0

/// The reason why a key file cannot be used, as one sentence.
package struct KeyFileError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
