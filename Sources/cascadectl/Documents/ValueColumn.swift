// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The values of one key at each node.
struct ValueColumn {
    let key: EventName
    private var values: [String: JSONValue] = [:]

    /// - Parameter answer: The bus's answer about one key in a subtree.
    init(key: EventName, answer: JSONValue) {
        self.key = key
        for entry in answer["values"]?.elements ?? [] {
            if let path = entry["path"]?.string, let value = entry["value"] {
                values[path] = value
            }
        }
    }

    /// - Parameter environment: The environment of all nodes, from a dump.
    init(key: EventName, environment: JSONValue) {
        self.key = key
        for node in environment.elements {
            let entry = node["values"]?.elements.first { $0["key"]?.string == key.description }
            if let path = node["path"]?.string, let value = entry?["value"] {
                values[path] = value
            }
        }
    }

    subscript(path: NodePath) -> JSONValue? {
        values[path.description]
    }

    /// Returns the member for a node's document; empty if the node has no value.
    func members(of path: NodePath) -> [JSONValue.Member] {
        self[path].map { value in
            [
                JSONValue.Member(
                    key: "environment",
                    value: .object([JSONValue.Member(key: key.description, value: value)]))
            ]
        } ?? []
    }
}
