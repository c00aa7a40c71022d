// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// What each node reads under one key.
struct ValueColumn {
    let key: EventName
    private var values: [String: JSONValue] = [:]

    /// - Parameter answer: the bus's, about one key in a part of the tree.
    init(key: EventName, answer: JSONValue) {
        self.key = key
        for entry in answer["values"]?.elements ?? [] {
            if let path = entry["path"]?.string, let value = entry["value"] {
                values[path] = value
            }
        }
    }

    /// - Parameter environment: all that nodes read, as a dump has it.
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

    /// The member of a node's document; none where it has no value.
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
