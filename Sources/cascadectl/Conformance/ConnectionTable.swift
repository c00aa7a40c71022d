// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers that the played daemon has given on one connection, and the declarations of the
/// client's nodes. Each connection has other numbers.
struct ConnectionTable {
    /// The number of the connection, from 1.
    let connection: UInt32
    private(set) var declarations: [NodePath: NodeDeclaration] = [:]
    private var nodes: [NodePath: UInt32] = [:]
    private var names: [EventName: UInt32] = [:]

    init(connection: UInt32 = 0) {
        self.connection = connection
    }

    /// The number of the session from which visits and deliveries come.
    var sessionNumber: UInt32 {
        connection * 100 + 9
    }

    /// The number of the node from which visits and deliveries come.
    var originNumber: UInt32 {
        connection * 1000 + 900
    }

    /// The number of the node that handles what the client raises.
    var handlerNumber: UInt32 {
        connection * 1000 + 901
    }

    mutating func declare(_ node: NodeDeclaration) {
        declarations[node.path] = node
        nodes[node.path] = connection * 1000 + UInt32(nodes.count) * 7 + 3
    }

    /// Returns the number of a name, and gives it one if it has none.
    mutating func define(_ name: EventName) -> UInt32 {
        let number = names[name] ?? connection * 100 + UInt32(names.count) + 11
        names[name] = number
        return number
    }

    /// The definitions of all names.
    var definedNames: [Define.Definition] {
        names.sorted { $0.value < $1.value }.map { .name(number: $0.value, $0.key) }
    }

    /// Returns the number of a node of the client. Throws ``Deviation`` if it is not attached.
    func number(of path: NodePath) throws -> UInt32 {
        guard let number = nodes[path] else {
            throw Deviation(expected: "the node \(path)", received: "no node at this path")
        }
        return number
    }

    func number(of name: EventName) -> UInt32 {
        names[name] ?? 0
    }

    /// Returns the name of a message: that of its number, or of its field.
    func name(of message: ClientMessage) throws -> EventName? {
        let number = message.header.name
        return number == 0
            ? try message.raisedFields.name : names.first { $0.value == number }?.key
    }

    /// Returns the place of a responder in its node's list. Throws ``Deviation`` if the node has no
    /// such responder.
    func index(of kind: ResponderKind, _ name: EventName, at path: NodePath) throws -> UInt16 {
        let responders = declarations[path]?.responders ?? []
        guard let index = responders.firstIndex(where: { $0.kind == kind && $0.name == name })
        else {
            throw Deviation(
                expected: "a responder '\(kind.name) \(name)' of \(path)",
                received: "\(responders.count) others")
        }
        return UInt16(clamping: index)
    }
}

/// The account of what the client raises: its sequence numbers and its credit, which every
/// conversation has to respect.
struct RaiseAccount {
    private var granted: UInt32 = 0
    private var left: UInt32 = 0
    private var last: UInt64 = 0
    /// The numbers that have no outcome.
    private var open: Set<UInt64> = []
    /// The number that was sent last on this connection; `nil` before the first new one.
    private var lastHere: UInt64?
    private var sentHere: Set<UInt64> = []
    /// The outcomes sent on this connection.
    private var outcomes: UInt64 = 0

    /// Begins a connection with the credit of its `welcome`.
    mutating func connected(credit: UInt32) {
        granted = credit
        left = credit
        lastHere = nil
        sentHere = []
        outcomes = 0
    }

    /// Checks and counts a trigger or publication.
    mutating func sent(_ message: ClientMessage) throws {
        let sequence = message.header.sequence
        guard left > 0 else {
            throw Deviation(
                expected: "at most \(granted) triggers and publications under way",
                received: "one more: \(message)")
        }
        if message.header.flags.contains(.sentAgain) {
            // What was lost with the old connection comes as a redelivery, too.
            guard open.contains(sequence) || sequence > last, lastHere == nil,
                !sentHere.contains(sequence)
            else {
                throw Deviation(
                    expected: "redeliveries of what has no outcome, before anything new",
                    received: message.description)
            }
            last = max(last, sequence)
        } else {
            guard sequence == last + 1 else {
                throw Deviation(expected: "sequence \(last + 1)", received: message.description)
            }
            last = sequence
            lastHere = sequence
        }
        try check(outcomes: message.header.id, in: message)
        left -= 1
        sentHere.insert(sequence)
        if !message.header.flags.contains(.unacknowledged) {
            open.insert(sequence)
        }
    }

    /// Counts an outcome, or a refusal, which returns its credit if it was sent here.
    mutating func ended(_ sequence: UInt64, isOutcome: Bool = true) {
        if open.remove(sequence) != nil, sentHere.contains(sequence) {
            left += 1
        }
        if isOutcome {
            outcomes += 1
        }
    }

    /// Counts credits of unacknowledged messages.
    mutating func credited(_ count: UInt32) {
        left += count
    }

    /// Checks the number of outcomes that the client reports. The client may report none.
    func check(outcomes reported: UInt64, in message: ClientMessage) throws {
        guard reported == 0 || reported <= outcomes else {
            throw Deviation(
                expected: "at most \(outcomes) outcomes of this connection reported",
                received: "\(reported) in \(message)")
        }
    }
}
