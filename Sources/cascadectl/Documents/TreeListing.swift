// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON

/// The tree, depth first.
struct TreeListing: Document {
    let bus: String
    let entries: [NodeEntry]
    /// The nodes of the previous document by path; empty for the first.
    var earlier: [NodePath: NodeSnapshot] = [:]
    /// The values of the requested key; `nil` if none is requested.
    var column: ValueColumn?

    var json: JSONValue {
        TreeDocument(
            bus: bus,
            nodes: entries.map { entry in
                var node = entry.brief
                if let column, let value = column[node.path] {
                    node.environment = [column.key.description: value]
                }
                return node
            }
        ).json
    }

    func text(_ style: Style) -> String {
        var table = Table([
            "NODE", "STATE", column?.key.description ?? "", "SITE", "PID", "USER", "UNIT",
            "AGE", "RESPONDERS", "SUBSCRIPTIONS", "RATE",
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
                Cell(entry.brief.site ?? ""),
                Cell(node.holder.map { String($0.processID) } ?? ""),
                Cell(entry.user ?? ""),
                Cell(entry.unit ?? ""),
                Cell(Age.text(microseconds: node.ageMicroseconds)),
                Cell(node.responders.map(\.summary).joined(separator: ", ")),
                Cell(node.subscribedNames.map(\.description).joined(separator: ", ")),
                Cell(node.rate(since: earlier[node.path]) ?? ""),
            ])
        }
        return table.text(style)
    }
}

/// The values of one key at each node.
struct ValueColumn {
    let key: EventName
    private var values: [NodePath: JSONValue] = [:]

    /// - Parameter answer: The bus's answer about one key in a subtree.
    init(key: EventName, answer: KeyInTreeDocument) {
        self.key = key
        for entry in answer.values {
            values[entry.path] = entry.value
        }
    }

    /// - Parameter environment: The environment of all nodes, from a dump.
    init(key: EventName, environment: [NodeEnvironmentEntry]) {
        self.key = key
        for node in environment {
            values[node.path] = node.values.first { $0.key == key }?.value
        }
    }

    subscript(path: NodePath) -> JSONValue? {
        values[path]
    }
}

/// The nodes of a tree, grouped by systemd unit. The JSON is that of the tree.
struct UnitListing: Document {
    let tree: TreeListing

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

extension NodeSnapshot {
    /// Returns the visits and deliveries per second: since an earlier snapshot of the same session,
    /// else since the attachment. `nil` if no session holds the place.
    func rate(since earlier: NodeSnapshot?) -> String? {
        guard !path.isRoot, let holder, let visits = counter("visits") else {
            return nil
        }
        if let earlier, earlier.holder?.session == holder.session,
            earlier.ageMicroseconds < ageMicroseconds,
            let before = earlier.counter("visits"), before <= visits
        {
            return Rate.text(
                count: visits - before, microseconds: ageMicroseconds - earlier.ageMicroseconds)
        }
        return Rate.text(count: visits, microseconds: ageMicroseconds)
    }
}
