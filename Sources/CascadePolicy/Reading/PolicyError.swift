// SPDX-License-Identifier: Apache-2.0

/// An error in a policy file, with its position.
package struct PolicyError: Error, Equatable, CustomStringConvertible {
    package let place: PolicyRule.Place
    /// The message for a person, with the fault quoted and escaped.
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
