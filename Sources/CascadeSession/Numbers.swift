// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The daemon's numbers of names, nodes and sessions. They are valid for one connection.
struct Numbers: Sendable {
    /// The names by their numbers.
    private(set) var names: [UInt32: EventName] = [:]
    /// The paths of nodes by their numbers.
    private(set) var nodes: [UInt32: NodePath] = [:]
    private var sessions = NumberTable<SessionIdentity>()
    private(set) var numbersOfNames: [EventName: UInt32] = [:]
    /// The numbers of this session's nodes.
    private(set) var ownNodes: [NodePath: UInt32] = [:]

    /// The number of definitions that are kept.
    var count: Int {
        names.count + numbersOfNames.count + nodes.count + sessions.count
    }

    // Most messages repeat the previous name and origin, so these are compared before a lookup.
    private var lastName: (name: EventName, number: UInt32)?
    private var lastOrigin: (path: NodePath, number: UInt32)?

    /// Returns the number of a name; 0 if the daemon has not defined one.
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

    /// Returns the session with a number; `nil` if the daemon has not defined it.
    mutating func session(_ number: UInt32) -> SessionIdentity? {
        sessions[number]
    }

    /// Removes the number of a node of this session.
    mutating func remove(_ path: NodePath) {
        ownNodes[path] = nil
        lastOrigin = nil
    }

    mutating func apply(_ definitions: [Define.Definition]) {
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

    /// Adds the number of a node of this session.
    mutating func insert(_ node: Attached.Node) {
        nodes[node.number] = node.path
        ownNodes[node.path] = node.number
    }
}

/// Values by the daemon's numbers. Most messages repeat the previous number, so it is compared before a
/// lookup.
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

    var count: Int {
        values.count
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
