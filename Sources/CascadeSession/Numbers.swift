// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The names, nodes and sessions that the daemon's numbers stand for. A new daemon assigns new
/// numbers.
struct Numbers: Sendable {
    private(set) var names: [UInt32: EventName] = [:]
    private(set) var nodes: [UInt32: NodePath] = [:]
    private var sessions = NumberTable<SessionIdentity>()
    private(set) var numbersOfNames: [EventName: UInt32] = [:]
    /// The numbers of this session's nodes.
    private(set) var ownNodes: [NodePath: UInt32] = [:]

    // Most messages repeat the last name and origin, so these are compared before the lookup.
    private var lastName: (name: EventName, number: UInt32)?
    private var lastOrigin: (path: NodePath, number: UInt32)?

    /// Returns the number of a name; 0 if it has none yet.
    mutating func number(of name: EventName) -> UInt32 {
        if let lastName, lastName.name == name {
            return lastName.number
        }
        guard let number = numbersOfNames[name] else {
            return 0
        }
        lastName = (name, number)
        return number
    }

    /// Returns the number of a node of this session; ``Header/noNode`` while it is not attached.
    mutating func number(of path: NodePath) -> UInt32 {
        if let lastOrigin, lastOrigin.path == path {
            return lastOrigin.number
        }
        guard let number = ownNodes[path] else {
            return Header.noNode
        }
        lastOrigin = (path, number)
        return number
    }

    /// Returns the session with a number.
    mutating func session(_ number: UInt32) -> SessionIdentity? {
        sessions[number]
    }

    mutating func forget(_ path: NodePath) {
        ownNodes[path] = nil
        lastOrigin = nil
    }

    mutating func learn(_ definitions: [Define.Definition]) {
        for definition in definitions {
            switch definition {
            case .name(let number, let name):
                names[number] = name
                numbersOfNames[name] = number
                lastName = nil
            case .node(let number, let path, _):
                nodes[number] = path
            case .session(let number, let session):
                sessions.insert(session, at: number)
            }
        }
    }

    mutating func learn(_ node: Attached.Node) {
        nodes[node.number] = node.path
        ownNodes[node.path] = node.number
    }
}

/// Values by the daemon's numbers. Most messages use the number of the message before them, so the
/// last number is compared before the lookup.
struct NumberTable<Value: Sendable>: Sendable {
    private var values: [UInt32: Value] = [:]
    private var last: (number: UInt32, value: Value)?

    subscript(number: UInt32) -> Value? {
        mutating get {
            if let last, last.number == number {
                return last.value
            }
            guard let value = values[number] else {
                return nil
            }
            last = (number, value)
            return value
        }
    }

    mutating func insert(_ value: Value, at number: UInt32) {
        values[number] = value
        last = nil
    }

    mutating func remove(_ number: UInt32) -> Value? {
        last = nil
        return values.removeValue(forKey: number)
    }

    mutating func removeAll() {
        values = [:]
        last = nil
    }
}
