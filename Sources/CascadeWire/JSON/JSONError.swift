// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a text that should be JSON, and where.
package struct JSONError: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, atByte offset: Int) {
        description = "\(what) at byte \(offset + 1)"
    }
}
