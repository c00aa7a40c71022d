// SPDX-License-Identifier: Apache-2.0

/// The reason why bytes are not JSON, and the first invalid byte.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    package let message: String

    /// The offset of the byte, counted from 0.
    package let place: Int

    /// Whether the JSON is refused for its depth alone.
    package var isTooDeep = false

    package init(_ message: String, at place: Int) {
        self.message = message
        self.place = place
    }

    package var description: String {
        "\(message) at byte \(place + 1)"
    }
}
