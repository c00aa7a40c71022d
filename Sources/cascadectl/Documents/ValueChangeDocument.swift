// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A change of a value that a node reads.
struct ValueChangeDocument: Document {
    let key: String
    let old: JSONValue?
    /// The new value; `nil` if it was removed.
    let new: JSONValue?
    let from: String?

    var json: JSONValue {
        .document(
            "envChange",
            [
                "key": .string(key), "value": new, "old": old, "from": from.map { .string($0) },
            ])
    }

    func text(_ style: Style) -> String {
        let value = new.map { "is \($0.text)" } ?? "has no value"
        let words = style.apply(.bold, key.safeForTerminal) + " " + value
        return old.map { words + style.apply(.dim, ", was \($0.text)") } ?? words
    }
}
