// SPDX-License-Identifier: Apache-2.0

/// Says where in which file a rule is wrong, and why.
package struct RuleFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let error: ExpressionError

    /// `FILE:LINE:COLUMN: message`.
    package var description: String {
        "\(file):\(error)"
    }
}
