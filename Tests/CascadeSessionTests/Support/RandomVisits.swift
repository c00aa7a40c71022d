// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeTestSupport
import CascadeWire

/// A session that receives visits and ends them at random, and the record of its answers.
struct RandomVisits: ~Copyable {
    private struct Running {
        let invocation: Invocation
        let node: NodePath
        /// `nil` for a visit from an earlier connection.
        var id: UInt64?
    }

    private var generator: SeededGenerator
    private var session = Session(
        id: SessionID(high: 1, low: 1), program: "random", processID: 1)
    private let nodes: [NodeDeclaration]
    private var effects: [SessionEffect] = []
    private var lastID: UInt64 = 0

    private var running: [Running] = []
    /// Visits that were sent on this connection, in order, by node.
    private var sent: [NodePath: [UInt64]] = [:]
    private var accepted: [UInt64] = []
    private var begun: [NodePath: [UInt64]] = [:]
    private var verdicts: [UInt64: Int] = [:]
    private(set) var visitsRunUnaccepted: [UInt64] = []
    private(set) var nodesOutOfOrder: Set<NodePath> = []

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        nodes = (1...3).map { concurrency in
            NodeDeclaration(
                path: NodePath(joining: ["n\(concurrency)"]), concurrency: UInt16(concurrency),
                prefetch: 64)
        }
        session.attach(nodes, names: [], request: 1, into: &effects)
        try connect(request: 1)
    }

    // MARK: - Steps

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<50: try arrive()
        case ..<98: finishAny()
        default: try reconnect()
        }
    }

    mutating func finishAll() {
        while !running.isEmpty {
            finishAny()
        }
    }

    /// Receives a visit whose payload is its ID, so that the invocation can be matched.
    private mutating func arrive() throws {
        lastID += 1
        let place = Int.random(in: nodes.indices, using: &generator)
        sent[nodes[place].path, default: []].append(lastID)
        let header = Header(.visit, node: UInt32(place + 1), name: 1, id: lastID)
        let payload = (0..<8).map { UInt8(truncatingIfNeeded: lastID >> ($0 * 8)) }
        let message = header.encoded() + payload
        try session.received(header, message.span.bytes, into: &effects)
        note()
    }

    private mutating func finishAny() {
        guard let place = running.indices.randomElement(using: &generator) else {
            return
        }
        let ended = running.remove(at: place)
        session.finished(ended.invocation.token, .handled, microseconds: 0, into: &effects)
        note()
    }

    private mutating func reconnect() throws {
        session.disconnected(into: &effects)
        note()
        sent = [:]
        begun = [:]
        accepted = []
        verdicts = [:]
        for place in running.indices {
            running[place].id = nil
        }
        try connect(request: .max)
    }

    private mutating func connect(request: UInt64) throws {
        session.connected(into: &effects)
        let welcome = Welcome(
            version: 1, bus: "", release: "", processID: 1, credit: 8, beatMilliseconds: 1,
            limits: [])
        try received(welcome)
        let attached = Attached(
            request: request,
            nodes: nodes.enumerated().map { place, node in
                Attached.Node(path: node.path, number: UInt32(place + 1))
            })
        try received(attached)
        note()
    }

    private mutating func received(_ message: some WireMessage) throws {
        let encoded = message.encoded()
        try session.received(message.header, encoded.span.bytes, into: &effects)
    }

    // MARK: - Record

    private mutating func note() {
        for effect in effects {
            switch effect {
            case .invoke(let invocation): note(invocation)
            case .send(let header) where header.command == .accept: accepted.append(header.id)
            case .send(let header) where header.command == .verdict: noteVerdict(header)
            default: break
            }
        }
        effects = []
    }

    private mutating func note(_ invocation: Invocation) {
        var id: UInt64 = 0
        _ = session.withPayload(invocation.token) { bytes in
            id = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            return .handled
        }
        let node = nodes[Int(invocation.node) - 1].path
        running.append(Running(invocation: invocation, node: node, id: id))
        begun[node, default: []].append(id)
        if !accepted.contains(id) {
            visitsRunUnaccepted.append(id)
        }
        if let begun = begun[node], let sent = sent[node], !sent.starts(with: begun) {
            nodesOutOfOrder.insert(node)
        }
    }

    private mutating func noteVerdict(_ header: Header) {
        verdicts[header.id, default: 0] += 1
        if header.flags.contains(.nextAccepted) {
            // The oldest visit of the node that has not been accepted, as the bus counts.
            let node = nodes[Int(header.node) - 1].path
            if let next = sent[node]?.first(where: { !accepted.contains($0) }) {
                accepted.append(next)
            }
        }
    }

    var nodesOverLimit: [NodePath] {
        nodes.filter { node in
            running.count { $0.node == node.path } > Int(node.concurrency)
        }
        .map(\.path)
    }

    var unansweredVisits: [UInt64] {
        sent.values.flatMap { $0 }.filter { verdicts[$0] == nil }.sorted()
    }

    var visitsAnsweredTwice: [UInt64] {
        verdicts.filter { $0.value > 1 }.keys.sorted()
    }
}
