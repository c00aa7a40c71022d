// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The active rules.
struct RulesDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// The names of the rules files on the bus.
    var files: [String] {
        (json["models"]?.elements ?? []).compactMap { $0["file"]?.string }
    }

    func text(_ style: Style) -> String {
        var table = Table(["OF", "LINE", "RULE", "PRIORITY"])
        var isEmpty = true
        for model in json["models"]?.elements ?? [] {
            let place = model["file"]?.string ?? model["at"]?.string ?? ""
            for rule in model["rules"]?.elements ?? [] {
                isEmpty = false
                table.append([
                    Cell(place), Cell(rule["line"]?.plainText ?? ""),
                    Cell(rule["rule"]?.string ?? ""), Cell(rule["priority"]?.plainText ?? "", .dim),
                ])
            }
        }
        return isEmpty ? "there are no rules" : table.text(style)
    }
}
