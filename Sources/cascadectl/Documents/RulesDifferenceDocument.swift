// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The changes of values if a rules file were active on the bus.
struct RulesDifferenceDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let changes = json["changes"]?.elements ?? []
        guard !changes.isEmpty else {
            return "nothing would change"
        }
        var table = Table(["PATH", "KEY", "NOW", "THEN"])
        for change in changes {
            table.append([
                Cell(change["path"]?.string ?? ""), Cell(change["key"]?.string ?? ""),
                Cell(change["old"]?.text ?? "", .red), Cell(change["new"]?.text ?? "", .green),
            ])
        }
        return table.text(style)
    }
}
