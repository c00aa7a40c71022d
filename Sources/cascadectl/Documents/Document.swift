// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A result in two formats: JSON for programs, text for people.
protocol Document: Sendable {
    var json: JSONValue { get }

    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String

    /// The exit status.
    var status: ExitStatus { get }
}

extension Document {
    var status: ExitStatus {
        .done
    }
}
