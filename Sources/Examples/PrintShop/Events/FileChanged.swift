// SPDX-License-Identifier: Apache-2.0

/// A file that differs from its job.
package struct FileChanged: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
