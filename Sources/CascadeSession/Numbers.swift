// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What the daemon's numbers stand for in this session. A new daemon numbers anew.
struct Numbers: Sendable {
    private(set) var names: [UInt32: EventName] = [:]
    private(set) var nodes: [UInt32: NodePath] = [:]
    private(set) var sessions: [UInt32: SessionID] = [:]
    private(set) var numbersOfNames: [EventName: UInt32] = [:]

    mutating func learn(_ definitions: [Define.Definition]) {
        for definition in definitions {
            switch definition {
            case .name(let number, let name):
                names[number] = name
                numbersOfNames[name] = number
            case .node(let number, let path):
                nodes[number] = path
            case .session(let number, let session):
                sessions[number] = session
            }
        }
    }

    mutating func learn(_ node: Attached.Node) {
        nodes[node.number] = node.path
    }
}
