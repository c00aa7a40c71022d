// SPDX-License-Identifier: Apache-2.0

/// A file is no longer what its job says.
package struct FileChanged: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
