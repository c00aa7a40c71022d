// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The whole state of a bus.
struct DumpDocument: Document {
    let json: JSONValue

    /// Queries the bus for its whole state.
    init(asking bus: Bus) async throws {
        let now = Timestamp.now
        let tree = try TreeAnswer(parsing: await bus.link.query(.tree(path: .root, depth: .max)))
        let status = try BusAnswer(parsing: await bus.link.query(.bus))
        let entries = tree.nodes.map { NodeEntry(node: $0, now: now) }
        json = .members([
            "schema": .string(Dump.schema),
            "when": .text(now),
            "bus": .string(bus.welcome.bus),
            "tree": .document(
                "tree",
                [
                    "bus": .string(bus.welcome.bus),
                    "nodes": .array(entries.map { .object($0.members + $0.furtherMembers) }),
                ]),
            "status": BusDocument(answer: status, now: now).json,
            "subscribers": try await Self.subscribers(tree.nodes, bus),
            "undelivered": try JSONValue(answer: await bus.link.query(.undelivered)),
            "check": try JSONValue(answer: await bus.link.query(.check)),
            "environment": try await Self.list(tree.nodes, bus, "values") {
                .environment(path: $0, key: nil)
            },
            "preferences": try await Self.list(tree.nodes, bus, "preferences") {
                .preferences(path: $0)
            },
            "rules": try JSONValue(answer: await bus.link.query(.rules)),
        ])
    }

    /// Returns the bus's answers for each node that has one.
    ///
    /// - Parameter member: The member of the answer to keep.
    private static func list(
        _ nodes: [NodeSnapshot], _ bus: Bus, _ member: String,
        _ subject: (NodePath) -> Query.Subject
    ) async throws -> JSONValue {
        var entries: [JSONValue] = []
        for node in nodes {
            do {
                let answer = try JSONValue(answer: await bus.link.query(subject(node.path)))
                if let value = answer[member], value.elements.count + value.members.count > 0 {
                    entries.append(.members(["path": .text(node.path), member: value]))
                }
            } catch let error as CascadeError where error.reason == .noSuchNode {
                // The node has left since the query for the tree.
                continue
            }
        }
        return .array(entries)
    }

    /// Returns the subscribers of each name with subscriptions, for publications from the root.
    private static func subscribers(_ nodes: [NodeSnapshot], _ bus: Bus) async throws -> JSONValue {
        var members: [JSONValue.Member] = []
        for name in Set(nodes.flatMap(\.subscriptions).map(\.description)).sorted() {
            let subject = Query.Subject.subscribers(name: try EventName(name), path: .root)
            let answer = try SubscribersAnswer(parsing: await bus.link.query(subject))
            members.append(
                JSONValue.Member(key: name, value: SubscribersDocument(answer: answer).json))
        }
        return .object(members)
    }

    /// Returns the JSON, because a dump has no shorter form.
    func text(_ style: Style) -> String {
        json.text
    }
}
