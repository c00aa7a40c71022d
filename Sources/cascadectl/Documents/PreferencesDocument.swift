// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The reduced preferences of a node and its subtree.
struct PreferencesDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let members = json["preferences"]?.members ?? []
        guard !members.isEmpty else {
            return "no preferences"
        }
        var table = Table(["KEY", "VALUE"])
        for member in members {
            table.append([Cell(member.key), Cell(member.value.text)])
        }
        return table.text(style)
    }
}
