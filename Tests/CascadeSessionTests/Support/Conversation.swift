// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// A session with a scripted daemon; its effects are recorded as lines of text.
struct Conversation: ~Copyable {
    private(set) var session = Session(
        id: SessionID(high: 1, low: 2), program: "test", processID: 7)
    /// The invocations that have begun and have not ended, oldest first.
    private(set) var running: [Invocation] = []
    private var effects: [SessionEffect] = []
    private var lines: [String] = []
    /// The last attach that was sent.
    private(set) var lastAttach: Attach?

    /// Receives a message, and leaves its effects to the caller.
    mutating func receive(_ header: Header, into effects: inout [SessionEffect]) throws {
        try session.received(header, header.encoded().span.bytes, into: &effects)
    }

    /// Returns and removes the lines recorded since the last call.
    mutating func next() -> [String] {
        defer { lines = [] }
        return lines
    }

    // MARK: - The daemon's side

    /// A conversation that has passed the greeting, without recorded lines.
    static func welcomed(credit: UInt32 = 8) throws -> Conversation {
        var conversation = Conversation()
        try conversation.welcome(credit: credit)
        _ = conversation.next()
        return conversation
    }

    /// A conversation with these nodes, numbered from 1, and the name `Ping` as number 1.
    static func attached(
        _ nodes: NodeDeclaration..., credit: UInt32 = 8, messageBytes: UInt64? = nil
    ) throws -> Conversation {
        var conversation = Conversation()
        try conversation.welcome(credit: credit, messageBytes: messageBytes)
        conversation.attach(nodes, request: 1)
        try conversation.define(.name(number: 1, .ping))
        try conversation.hear(.attached(nodes, request: 1))
        _ = conversation.next()
        return conversation
    }

    mutating func welcome(credit: UInt32 = 8, messageBytes: UInt64? = nil) throws {
        connect()
        try hear(
            Welcome(
                version: 1, bus: "test", release: "0", processID: 1, credit: credit,
                beatMilliseconds: 1000,
                limits: messageBytes.map { [NamedNumber("messageBytes", $0)] } ?? []))
    }

    mutating func hear(_ message: some WireMessage) throws {
        try hear(message.encoded())
    }

    mutating func hear(_ header: Header) throws {
        try hear(header.encoded())
    }

    mutating func hear(_ message: [UInt8]) throws {
        let header = try Header(parsing: message)
        try session.received(header, message.span.bytes, into: &effects)
        note()
    }

    mutating func define(_ definitions: Define.Definition...) throws {
        try hear(Define(definitions))
    }

    mutating func visit(
        _ id: UInt64, at node: UInt32, responder: UInt16 = 0, flags: HeaderFlags = [],
        stops: Itinerary.Stop...
    ) throws {
        if !stops.isEmpty {
            try hear(Itinerary(stops).encoded())
        }
        try hear(
            Header(.visit, flags: flags, index: responder, node: node, name: 1, id: id))
    }

    // MARK: - The worker's side

    mutating func connect() {
        session.connected(into: &effects)
        note()
    }

    mutating func disconnect() {
        session.disconnected(into: &effects)
        note()
    }

    mutating func attach(_ nodes: [NodeDeclaration], request: UInt64) {
        session.attach(nodes, names: [], request: request, into: &effects)
        note()
    }

    mutating func send(_ message: some WireMessage) {
        session.send(message, into: &effects)
        note()
    }

    mutating func change(_ change: Change) {
        session.change(change, into: &effects)
        note()
    }

    mutating func move(_ old: NodePath, to new: NodePath) {
        session.move(old, to: new, into: &effects)
        note()
    }

    mutating func giveUp(_ sequence: UInt64) {
        session.giveUp(sequence)
    }

    mutating func set(_ assignments: Assignments, at path: NodePath, request: UInt64) {
        session.set(assignments, at: path, request: request, into: &effects)
        note()
    }

    mutating func endRepeatingQuery(_ request: UInt64) {
        session.endRepeatingQuery(request, into: &effects)
        note()
    }

    mutating func raise(
        _ name: EventName = .ping, _ options: RaiseOptions = RaiseOptions(.up, from: .node("/a")),
        payloadBytes: Int = 0, attributes: [Attribute] = []
    ) throws(WireError) -> UInt64 {
        defer { note() }
        let payload = [UInt8](repeating: 0x20, count: payloadBytes)
        return try session.raise(
            Raising(name: name, payload: payload, attributes: attributes), options,
            into: &effects)
    }

    mutating func cancel(_ sequence: UInt64) {
        session.cancel(sequence, into: &effects)
        note()
    }

    /// Raises a message and returns the header and fields that are sent for it.
    mutating func sent(
        _ raising: Raising, _ options: RaiseOptions
    ) throws -> (header: Header, raised: RaisedFields)? {
        _ = try session.raise(raising, options, into: &effects)
        defer { effects = [] }
        for case .sendRaised(let header, let fields, _) in effects {
            return (header, try RaisedFields(fields: FieldReader(fields)))
        }
        return nil
    }

    mutating func answer(beat: UInt64) {
        session.beatAnswered(beat, into: &effects)
        note()
    }

    /// Ends an invocation, by default the oldest.
    mutating func finish(_ result: InvocationResult = .handled, place: Int = 0) {
        let invocation = running.remove(at: place)
        session.finished(invocation.token, result, microseconds: 0, into: &effects)
        note()
    }

    // MARK: - Recording

    private mutating func note() {
        for effect in effects {
            if case .invoke(let invocation) = effect {
                running.append(invocation)
            }
            if case .sendMessage(let message) = effect,
                let attach = try? Attach(parsing: message)
            {
                lastAttach = attach
            }
            lines.append(effect.line)
        }
        effects = []
    }
}

extension EventName {
    static let ping: EventName = "Ping"
    static let pong: EventName = "Pong"
}
