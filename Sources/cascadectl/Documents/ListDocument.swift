// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The nodes, one a line.
struct ListDocument: Document {
    let bus: String
    let entries: [NodeEntry]

    var json: JSONValue {
        .document(
            "list",
            [
                "bus": .string(bus),
                "nodes": .array(entries.map { .object($0.members) }),
            ])
    }

    func text(_ style: Style) -> String {
        var table = Table(["PATH", "STATE", "PID", "USER", "UNIT", "AGE", "QUEUE", "VISITS"])
        for entry in entries {
            let node = entry.node
            table.append([
                Cell(node.path.description),
                Cell(node.state.name, node.state.colour),
                Cell(node.holder.map { String($0.processID) } ?? ""),
                Cell(entry.user ?? ""),
                Cell(entry.unit ?? ""),
                Cell(Age.text(microseconds: node.ageMicroseconds)),
                Cell(node.counter("queue").map(String.init) ?? ""),
                Cell(node.counter("visits").map(String.init) ?? ""),
            ])
        }
        return table.text(style)
    }
}

extension NodeSnapshot {
    func counter(_ name: String) -> UInt64? {
        counters.first { $0.name == name }?.value
    }
}
