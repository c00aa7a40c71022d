// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// One undelivered event in full.
struct UndeliveredEventDocument: Document {
    /// The document with this event only.
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
