// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The nodes by systemd unit. The JSON is that of the tree.
struct UnitsDocument: Document {
    let tree: TreeDocument

    var json: JSONValue {
        tree.json
    }

    func text(_ style: Style) -> String {
        var units: [String] = []
        var nodesOfUnits: [String: [NodeSnapshot]] = [:]
        for node in tree.entries.map(\.node) {
            guard let holder = node.holder else {
                continue
            }
            if nodesOfUnits[holder.unit] == nil {
                units.append(holder.unit)
            }
            nodesOfUnits[holder.unit, default: []].append(node)
        }
        var table = Table(["UNIT", "NODE", "STATE", "PID"])
        for unit in units.sorted() {
            var shown = unit.isEmpty ? "(none)" : unit
            for node in nodesOfUnits[unit] ?? [] {
                table.append([
                    Cell(shown, .bold),
                    Cell(node.path.description),
                    Cell(node.state.name, node.state.colour),
                    Cell(node.holder.map { String($0.processID) } ?? ""),
                ])
                shown = ""
            }
        }
        return table.text(style)
    }
}
