// SPDX-License-Identifier: Apache-2.0

/// An error in a rules file, with its position.
package struct RuleFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let error: ExpressionError

    /// `FILE:LINE:COLUMN: message`.
    package var description: String {
        "\(file):\(error)"
    }
}
