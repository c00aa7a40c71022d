// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// One undelivered event, whole.
struct UndeliveredEventDocument: Document {
    /// The document with only this event in it.
    let document: UndeliveredDocument

    var json: JSONValue {
        document.json
    }

    func text(_ style: Style) -> String {
        guard let entry = document.entries.first else {
            return ""
        }
        var card = Card(title: entry["name"]?.string ?? "")
        for member in entry.without(["name"]) {
            card.add(member.key, member.value.plainText)
        }
        return card.text(style)
    }
}
