// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The status of a node.
struct NodeDocument: Document {
    let bus: String
    let entry: NodeEntry
    /// The node's environment: keys, values and their provenance.
    let values: [JSONValue]
    /// The reduced preferences of the node and its subtree.
    let preferences: [JSONValue.Member]
    let lastOutcomes: LastOutcomes

    var json: JSONValue {
        let read = values.compactMap { entry in
            entry["key"]?.string.flatMap { key in
                entry["value"].map { JSONValue.Member(key: key, value: $0) }
            }
        }
        let environment = JSONValue.memberList([
            "environment": .object(read), "preferences": .object(preferences),
        ])
        return .document(
            "status",
            [
                "bus": .string(bus),
                "node": .object(
                    entry.members + entry.furtherMembers + environment + lastOutcomes.members),
            ])
    }

    func text(_ style: Style) -> String {
        let node = entry.node
        var card = Card(title: node.path.description)
        card.add("state", node.state.name)
        card.add("active", node.isActive ? "yes" : "no")
        if let holder = node.holder {
            card.add("process", String(holder.processID))
            card.add("program", holder.program)
            card.add("user", entry.user)
            card.add("uid", holder.userID == .max ? nil : String(holder.userID))
            card.add("gid", holder.groupID == .max ? nil : String(holder.groupID))
            card.add(
                "groups",
                holder.groups.isEmpty
                    ? nil : holder.groups.map { "\($0)" }.joined(separator: " "))
            card.add("unit", entry.unit)
            card.add("key", holder.key)
            card.add("session", node.path.isRoot ? nil : holder.session.description)
        }
        card.add("since", entry.since.description)
        card.add("age", Age.text(microseconds: node.ageMicroseconds))
        card.add("children", String(node.childCount))
        card.add("relation", node.isPresented ? "presented" : nil)
        card.add("memory", entry.residentBytes.map { ByteCount.text($0) })
        card.add("triggers", node.triggers.map { $0.map(\.description).joined(separator: ", ") })
        card.add("reports", node.reports.map { $0.map(\.description).joined(separator: ", ") })
        card.add("counters", node.counters)
        for (index, responder) in node.responders.enumerated() {
            card.add("responder \(index)", responder.summary)
        }
        for subscription in node.subscriptions {
            card.add("subscription", subscription.description)
        }
        for value in values {
            let from = value["from"]?.string.map { " from \($0)" } ?? ""
            card.add(
                "environment",
                "\(value["key"]?.string ?? "") is \(value["value"]?.text ?? "")\(from)")
        }
        for preference in preferences {
            card.add("preference", "\(preference.key) is \(preference.value.text)")
        }
        lastOutcomes.add(to: &card)
        return card.text(style)
    }
}
