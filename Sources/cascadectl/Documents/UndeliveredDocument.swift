// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The undelivered and held messages.
struct UndeliveredDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    var entries: [JSONValue] {
        json["undelivered"]?.elements ?? []
    }

    func text(_ style: Style) -> String {
        guard !entries.isEmpty else {
            return "no undelivered messages"
        }
        var table = Table(["ID", "LANE", "NAME", "ORIGIN", "WHEN", "REASON", "HELD UNTIL"])
        for entry in entries {
            table.append(
                ["id", "lane", "name", "origin", "when", "reason", "heldUntil"].map { key in
                    Cell(entry[key]?.plainText ?? "")
                })
        }
        return table.text(style)
    }

    /// Returns the document with a single event. Throws ``Stop`` if the event is not in it.
    func only(_ id: EventID) throws -> UndeliveredDocument {
        guard let entry = entries.first(where: { $0["id"]?.string == id.description }) else {
            throw Stop(.absent, "the event \(id) is not among the undelivered messages")
        }
        return UndeliveredDocument(
            json: .document("undelivered", ["undelivered": .array([entry])]))
    }
}
