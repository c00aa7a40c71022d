// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The rules that stand.
struct RulesDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    /// The files that rules were read from, as the bus calls them.
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
