// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// What a node reads under all keys.
struct ValuesDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    /// Keys with what is read under them.
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
