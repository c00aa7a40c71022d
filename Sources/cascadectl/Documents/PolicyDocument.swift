// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The rules of the active policy.
struct PolicyDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let rules = json["rules"]?.elements ?? []
        guard !rules.isEmpty else {
            return "there are no rules: every action is denied"
        }
        var table = Table(["FILE", "LINE", "RULE"])
        for rule in rules {
            table.append([
                Cell(rule["file"]?.string ?? "default", .dim),
                Cell(rule["line"]?.plainText ?? ""),
                Cell(
                    rule["rule"]?.string ?? "", rule["effect"]?.string == "deny" ? .red : .green),
            ])
        }
        return table.text(style)
    }
}
