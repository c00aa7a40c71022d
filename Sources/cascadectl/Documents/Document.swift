// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// An answer in its two forms: for programs and for people.
protocol Document: Sendable {
    var json: JSONValue { get }

    /// Without a line break at the end.
    func text(_ style: Style) -> String

    /// What a script is told.
    var status: ExitStatus { get }
}

extension Document {
    var status: ExitStatus {
        .done
    }
}
