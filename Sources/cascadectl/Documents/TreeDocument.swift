// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The tree, depth first.
struct TreeDocument: Document {
    let bus: String
    let entries: [NodeEntry]
    /// The nodes of the previous document by path; empty for the first.
    var earlier: [NodePath: NodeSnapshot] = [:]
    /// The values of the requested key, if any.
    var column: ValueColumn?

    var json: JSONValue {
        .document(
            "tree",
            [
                "bus": .string(bus),
                "nodes": .array(
                    entries.map { entry in
                        .object(entry.members + (column?.members(of: entry.node.path) ?? []))
                    }),
            ])
    }

    func text(_ style: Style) -> String {
        var table = Table([
            "NODE", "STATE", column?.key.description ?? "", "PID", "USER", "UNIT", "AGE",
            "RESPONDERS", "SUBSCRIPTIONS", "RATE",
        ])
        let top = entries.first?.node.path.depth ?? 0
        for entry in entries {
            let node = entry.node
            let indent = String(repeating: "  ", count: node.path.depth - top)
            let name = node.path.depth == top ? node.path.description : "/" + node.path.name
            table.append([
                Cell(indent + node.state.glyph + " " + name),
                Cell(node.state.name, node.state.colour),
                Cell(column?[node.path]?.text ?? ""),
                Cell(node.holder.map { String($0.processID) } ?? ""),
                Cell(entry.user ?? ""),
                Cell(entry.unit ?? ""),
                Cell(Age.text(microseconds: node.ageMicroseconds)),
                Cell(node.responders.map(\.summary).joined(separator: ", ")),
                Cell(node.subscriptions.map(\.description).joined(separator: ", ")),
                Cell(node.rate(since: earlier[node.path]) ?? ""),
            ])
        }
        return table.text(style)
    }
}
