// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The end of a place that a command watches.
struct AbsenceDocument: Document {
    /// The sentence of the bus.
    let sentence: String
    let when: Timestamp

    var json: JSONValue {
        .document(
            "absence", ["message": .string(sentence), "when": .text(when)])
    }

    func text(_ style: Style) -> String {
        style.apply(.yellow, "\(sentence) any more; waiting for it".safeForTerminal)
    }
}
