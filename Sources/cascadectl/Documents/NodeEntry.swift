// SPDX-License-Identifier: Apache-2.0

import Cascade

/// One node as the documents have it.
struct NodeEntry: Sendable {
    let node: NodeSnapshot
    let now: Timestamp

    var user: String? {
        node.holder.flatMap { UserName.of($0.userID) }
    }

    var unit: String? {
        node.holder.flatMap { $0.unit.isEmpty ? nil : $0.unit }
    }

    /// The members that every document about nodes has.
    var members: [JSONValue.Member] {
        let holder = node.holder
        let isKnownUser = holder.map { $0.userID != .max } ?? false
        let entry = JSONValue.members([
            "path": .text(node.path),
            "parent": node.path.parent.map { .text($0) },
            "state": .string(node.state.name),
            "active": .bool(node.isActive),
            "pid": holder.map { .integer($0.processID) },
            "uid": isKnownUser ? holder.map { .integer($0.userID) } : nil,
            "user": user.map { .string($0) },
            "unit": unit.map { .string($0) },
            "since": .text(now.earlier(byMicroseconds: node.ageMicroseconds)),
            "session": node.path.isRoot ? nil : holder.map { .text($0.session) },
            "responders": .array(
                node.responders.enumerated().map { index, responder in
                    .members([
                        "index": .integer(index),
                        "kind": .string(responder.kind.name),
                        "name": .string(responder.nameText),
                    ])
                }),
            "subscriptions": .array(node.subscriptions.map { .text($0) }),
            "children": .integer(node.childCount),
        ])
        guard case .object(let members) = entry else {
            return []
        }
        return members
    }
}

extension ResponderDeclaration {
    /// The name it responds to, `*` for every one.
    var nameText: String {
        name?.description ?? NameRule.wildcard
    }

    /// The responder in few words: `handle PrintJob`.
    var summary: String {
        "\(kind.name) \(nameText)"
    }
}
