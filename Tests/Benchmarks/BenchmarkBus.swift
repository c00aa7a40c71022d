// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker with peers that answer at once.
struct BenchmarkBus: ~Copyable {
    struct Node {
        let peer: PeerID
        let number: UInt32
    }

    private var broker: Broker
    private var effects: [Effect] = []
    private var now = Instant(nanoseconds: 1)
    private var lastPeer = PeerID(index: 0, generation: 1)
    private var nodeCount = 0
    private var sequence: UInt64 = 0
    private var nameNumber: UInt32 = 0
    private var delivery: UInt64 = 0
    private var creditDue: [UInt32: UInt32] = [:]
    private var frames = [BenchmarkFrame(), BenchmarkFrame()]

    init() throws {
        var configuration = BrokerConfiguration(bus: "bench", release: "bench", processID: 1)
        configuration.limits.nodes = 4_000_000
        configuration.limits.nodesPerUser = 4_000_000
        configuration.limits.sessionsPerUser = 4_000_000
        broker = Broker(configuration: configuration, at: now)
    }

    /// Attaches a node; a session holds up to a thousand.
    mutating func attach(
        _ path: String, handles: String? = nil, subscribes: String? = nil
    ) throws -> Node {
        let peer = connect()
        var declaration = NodeDeclaration(path: try NodePath(path), prefetch: .max)
        if let handles {
            declaration.responders = [ResponderDeclaration(.handle, try EventName(handles))]
        }
        if let subscribes {
            declaration.subscriptions = [try EventName(subscribes)]
        }
        receive(
            Attach(request: 1, nodes: [declaration], names: [EventName("Bench")]), from: peer)
        var number: UInt32 = 0
        for case .sendMessage(let bytes, _) in effects {
            if let attached = try? Attached(parsing: bytes) {
                number = attached.nodes[0].number
            }
        }
        nameNumber = 1
        effects.removeAll(keepingCapacity: true)
        return Node(peer: peer, number: number)
    }

    /// Attaches a node with assignments and waits for the change of its first watched key.
    mutating func attach(_ path: String, _ assignments: Assignments) throws -> Node {
        let peer = connect()
        var declaration = NodeDeclaration(path: try NodePath(path))
        declaration.assignments = assignments
        receive(Attach(request: 1, nodes: [declaration]), from: peer)
        var number: UInt32 = 0
        for case .sendMessage(let bytes, _) in effects {
            if let attached = try? Attached(parsing: bytes) {
                number = attached.nodes[0].number
            }
        }
        effects.removeAll(keepingCapacity: true)
        return Node(peer: peer, number: number)
    }

    mutating func load(_ rules: String) {
        broker.handle(
            .rules([RuleModelFile(file: "bench.rules", text: rules)]), at: now, into: &effects)
        effects.removeAll(keepingCapacity: true)
    }

    /// The longest pause between two slices of one change.
    private static let pauseNanoseconds: UInt64 = 100_000_000

    /// Sets values from outside, or as a node, and runs all slices of the change. Returns the number
    /// of nodes that were notified.
    mutating func set(
        _ settings: [EnvironmentSetting], at path: NodePath, by node: Node? = nil
    ) -> Int {
        let message = SetEnvironment(
            request: 9, node: node?.number ?? Header.noNode, path: node == nil ? path : nil,
            Assignments(settings: settings))
        receive(message, from: node?.peer ?? lastPeer)
        var count = takeNotifications()
        while let next = broker.nextDeadline,
            next.nanoseconds < now.nanoseconds + Self.pauseNanoseconds
        {
            now = max(now, next)
            broker.handle(.deadline, at: now, into: &effects)
            count += takeNotifications()
        }
        return count
    }

    /// Removes the effects, and returns how many messages with fields were among them.
    private mutating func takeNotifications() -> Int {
        defer { effects.removeAll(keepingCapacity: true) }
        return effects.count {
            if case .sendMessage = $0 { true } else { false }
        }
    }

    /// The cost of a query.
    struct QueryCost {
        var turns = 0
        var nanoseconds: UInt64 = 0
        var longest: UInt64 = 0
        /// Nanoseconds of the broker's clock until the answer.
        var waited: UInt64 = 0
        var byteCount = 0
        var isRefused = false
    }

    /// Queries as a new session, and advances the time until there is an answer.
    mutating func query(_ subject: Query.Subject) throws -> QueryCost {
        connectPeer()
        effects.removeAll(keepingCapacity: true)
        var cost = QueryCost()
        let begin = now
        var start = BrokerBenchmark.now()
        receive(Query(request: 7, subject), from: lastPeer)
        while cost.turns < 1_000_000 {
            let nanoseconds = BrokerBenchmark.now() - start
            cost.turns += 1
            cost.nanoseconds += nanoseconds
            cost.longest = max(cost.longest, nanoseconds)
            for case .sendMessage(let bytes, lastPeer) in effects {
                cost.waited = now.nanoseconds - begin.nanoseconds
                cost.byteCount = bytes.count
                cost.isRefused = try Header(parsing: bytes).command == .refused
            }
            effects.removeAll(keepingCapacity: true)
            guard cost.byteCount == 0, let next = broker.nextDeadline else {
                break
            }
            now = max(now, next)
            start = BrokerBenchmark.now()
            broker.handle(.deadline, at: now, into: &effects)
        }
        // The next query begins with the user's full share.
        now = now.advanced(byMilliseconds: 60_000)
        broker.handle(.deadline, at: now, into: &effects)
        effects.removeAll(keepingCapacity: true)
        return cost
    }

    /// A peer with room for another node; the first hundred nodes have a peer each.
    private mutating func connect() -> PeerID {
        nodeCount += 1
        if nodeCount > 100, nodeCount % 1000 != 0 {
            return lastPeer
        }
        connectPeer()
        return lastPeer
    }

    /// Connects peers that hold no node.
    mutating func connect(_ count: Int) {
        for _ in 0..<count {
            connectPeer()
        }
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func connectPeer() {
        lastPeer = PeerID(index: lastPeer.index + 1, generation: 1)
        broker.handle(
            .connected(lastPeer, Credentials(processID: 1, userID: 0, groupID: 0)), at: now,
            into: &effects)
        receive(
            Hello(
                session: SessionID(high: 1, low: UInt64(lastPeer.index)), program: "bench",
                processID: 1), from: lastPeer)
    }

    /// Detaches all nodes of the peer.
    mutating func leave(_ peer: PeerID) {
        receive(Leave(request: 2), from: peer)
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func receive(_ message: some WireMessage, from peer: PeerID) {
        broker.handle(
            .received(peer, OwnedPayload(message.encoded())), at: now, into: &effects)
    }

    // MARK: - The steady state

    /// Receives a message as in the daemon: in memory that is reused unless the broker holds it.
    private mutating func receive(_ header: Header, from peer: PeerID) {
        // The broker holds the message of the event under way.
        let place = isKnownUniquelyReferenced(&frames[0]) ? 0 : 1
        if !isKnownUniquelyReferenced(&frames[place]) {
            frames[place] = BenchmarkFrame()
        }
        let frame = frames[place]
        frame.fill(header)
        broker.receive(frame, from: peer, at: now, into: &effects)
    }

    /// The cost of each message before the broker acts on it: writing and reading its header.
    mutating func parse() throws {
        sequence += 1
        frames[0].fill(Header(.trigger, node: 1, name: nameNumber, sequence: sequence))
        delivery &+= UInt64(try Header(parsing: frames[0].bytes).node)
    }

    mutating func trigger(from origin: Node, _ flags: HeaderFlags) {
        raise(Header(.trigger, flags: flags, node: origin.number, name: nameNumber), by: origin)
    }

    mutating func publish(from origin: Node) {
        raise(
            Header(
                .publish, flags: .unacknowledged, node: origin.number, name: nameNumber,
                code: PublishingDestination.all.rawValue), by: origin)
    }

    private mutating func raise(_ header: Header, by origin: Node) {
        sequence += 1
        now.nanoseconds += 1000
        var header = header
        header.sequence = sequence
        receive(header, from: origin.peer)
        if !header.flags.contains(.unacknowledged) {
            for case .forward(let visit) in effects {
                delivery = visit.header.id
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    /// Answers the last visit: accepted and handled.
    mutating func answer(by node: Node) {
        receive(Header(.accept, node: node.number, id: delivery), from: node.peer)
        receive(
            Header(
                .verdict, node: node.number, id: delivery, code: VerdictCode.handled.rawValue),
            from: node.peer)
        effects.removeAll(keepingCapacity: true)
    }

    /// Returns the credit of unacknowledged visits, in batches like a worker.
    mutating func returnCredit(of node: Node) {
        let due = (creditDue[node.number] ?? 0) + 1
        creditDue[node.number] = due
        guard due == 64 else {
            return
        }
        creditDue[node.number] = 0
        receive(Header(.credit, node: node.number, code: due), from: node.peer)
        effects.removeAll(keepingCapacity: true)
    }
}

/// A message without fields and payload, whose memory has no relevant owner: only the object is
/// allocated.
private final class BenchmarkFrame: Payload, @unchecked Sendable {
    private nonisolated(unsafe) static let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Header.byteCount, alignment: 8)
    private let memory: UnsafeMutableRawBufferPointer

    init() {
        memory = Self.memory
        super.init(UnsafeRawBufferPointer(memory))
    }

    func fill(_ header: Header) {
        header.write(into: memory)
        markRead()
    }
}
