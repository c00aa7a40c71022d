// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The environment of a node.
struct ValuesDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// The keys with their values and provenance.
    var values: [(key: String, value: JSONValue, from: String)] {
        (json["values"]?.elements ?? []).compactMap { entry in
            guard let key = entry["key"]?.string, let value = entry["value"] else {
                return nil
            }
            return (key, value, entry["from"]?.string ?? "")
        }
    }

    func text(_ style: Style) -> String {
        guard !values.isEmpty else {
            return "nothing is set"
        }
        var table = Table(["KEY", "VALUE", "FROM"])
        for entry in values {
            table.append([
                Cell(entry.key), Cell(entry.value.text), Cell(entry.from, .dim),
            ])
        }
        return table.text(style)
    }
}
