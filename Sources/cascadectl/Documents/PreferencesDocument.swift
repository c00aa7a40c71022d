// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What is offered at a node and below, reduced.
struct PreferencesDocument: Document {
    /// As the bus has made it.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let members = json["preferences"]?.members ?? []
        guard !members.isEmpty else {
            return "nothing is offered"
        }
        var table = Table(["KEY", "VALUE"])
        for member in members {
            table.append([Cell(member.key), Cell(member.value.text)])
        }
        return table.text(style)
    }
}
