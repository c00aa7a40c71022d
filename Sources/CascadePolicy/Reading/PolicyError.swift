// SPDX-License-Identifier: Apache-2.0

/// Says where in which file a policy is wrong, and why.
package struct PolicyError: Error, Equatable, CustomStringConvertible {
    package let place: PolicyRule.Place
    /// For a person; the offence is quoted, escaped.
    package let message: String

    package init(_ message: String, at place: PolicyRule.Place) {
        self.message = message
        self.place = place
    }

    /// `FILE:LINE:COLUMN: message`.
    package var description: String {
        "\(place): \(message)"
    }
}
