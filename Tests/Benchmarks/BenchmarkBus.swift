// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker with peers that answer immediately.
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
    /// By the numbers of nodes.
    private var creditDue: [UInt32] = []
    private var frame = BenchmarkFrame()
    /// Another one, for messages that arrive while the broker retains the first.
    private var otherFrame = BenchmarkFrame()

    init() throws {
        var configuration = BrokerConfiguration(bus: "bench", release: "bench", processID: 1)
        configuration.limits.nodes = 4_000_000
        configuration.limits.nodesPerUser = 4_000_000
        configuration.limits.sessionsPerUser = 4_000_000
        configuration.limits.bytesPerUser = 4_000_000_000
        broker = Broker(configuration: configuration, at: now)
    }

    /// Attaches a node. A session holds up to a thousand.
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
        nameNumber = 1
        return Node(peer: peer, number: removeAttachedNumber())
    }

    /// Attaches a node with assignments.
    mutating func attach(_ path: String, _ assignments: Assignments) throws -> Node {
        let peer = connect()
        var declaration = NodeDeclaration(path: try NodePath(path))
        declaration.assignments = assignments
        receive(Attach(request: 1, nodes: [declaration]), from: peer)
        return Node(peer: peer, number: removeAttachedNumber())
    }

    /// Removes the effects. Returns the number of the node that they attach.
    private mutating func removeAttachedNumber() -> UInt32 {
        defer { effects.clear() }
        var number: UInt32 = 0
        for case .sendMessage(let bytes, _) in effects {
            if let attached = try? Attached(parsing: bytes) {
                number = attached.nodes[0].number
            } else if let refused = try? Refused(parsing: bytes) {
                preconditionFailure("the broker has refused the node: \(refused)")
            }
        }
        precondition(number > 0, "the broker has not attached the node")
        return number
    }

    /// Replaces the bus's rules.
    mutating func load(_ rules: String) {
        broker.handle(
            .rules([RuleModelFile(file: "bench.rules", text: rules)]), at: now, into: &effects)
        effects.clear()
    }

    /// The longest pause between two slices of one change.
    private static let pauseNanoseconds: UInt64 = 100_000_000

    /// Sets values of a node, or from outside the tree without one, and runs all slices of the change.
    /// Returns the number of notified nodes.
    mutating func set(
        _ settings: [EnvironmentSetting], at path: NodePath, by node: Node? = nil
    ) -> Int {
        let message = SetEnvironment(
            request: 9, node: node?.number ?? Header.noNode, path: node == nil ? path : nil,
            Assignments(settings: settings))
        receive(message, from: node?.peer ?? lastPeer)
        var count = removeNotifications()
        while let next = broker.nextDeadline,
            next.nanoseconds < now.nanoseconds + Self.pauseNanoseconds
        {
            now = max(now, next)
            broker.handle(.deadline, at: now, into: &effects)
            count += removeNotifications()
        }
        return count
    }

    /// Removes the effects. Returns the number of messages with fields among them.
    private mutating func removeNotifications() -> Int {
        defer { effects.clear() }
        return effects.count {
            if case .sendMessage = $0 { true } else { false }
        }
    }

    /// The cost of a query.
    struct QueryCost {
        /// The number of turns of the broker.
        var turns = 0
        /// The time of all turns, in nanoseconds.
        var nanoseconds: UInt64 = 0
        /// The time of the longest turn, in nanoseconds.
        var longest: UInt64 = 0
        /// The time of the broker's clock until the answer, in nanoseconds.
        var waited: UInt64 = 0
        var byteCount = 0
        var isRefused = false
    }

    /// Sends a query from a new session, and advances the time until it is answered.
    mutating func query(_ subject: Query.Subject) throws -> QueryCost {
        connectPeer()
        effects.clear()
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
            effects.clear()
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
        effects.clear()
        return cost
    }

    /// Returns the peer for another node. Each of the first hundred nodes has a peer of its own.
    private mutating func connect() -> PeerID {
        nodeCount += 1
        if nodeCount > 100, nodeCount % 1000 != 0 {
            return lastPeer
        }
        connectPeer()
        return lastPeer
    }

    /// Connects peers without nodes.
    mutating func connect(_ count: Int) {
        for _ in 0..<count {
            connectPeer()
        }
        effects.clear()
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
        effects.clear()
    }

    private mutating func receive(_ message: some WireMessage, from peer: PeerID) {
        broker.handle(
            .received(peer, OwnedPayload(message.encoded())), at: now, into: &effects)
    }

    // MARK: - The steady state

    /// Receives a message as the daemon does: in memory that is reused unless the broker retains it.
    @inline(never)
    private mutating func receive(_ header: Header, from peer: PeerID) {
        // The broker retains the message of the event under way.
        if isKnownUniquelyReferenced(&frame) {
            frame.fill(header)
            broker.receive(frame, from: peer, at: now, into: &effects)
            return
        }
        if !isKnownUniquelyReferenced(&otherFrame) {
            otherFrame = BenchmarkFrame()
        }
        otherFrame.fill(header)
        broker.receive(otherFrame, from: peer, at: now, into: &effects)
    }

    /// Writes and parses a header, which each message costs before the broker processes it.
    mutating func parse() throws {
        sequence += 1
        frame.fill(Header(.trigger, node: 1, name: nameNumber, sequence: sequence))
        delivery &+= UInt64(try Header(parsing: frame.bytes).node)
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
            // The first visit follows the definitions of its numbers.
            if case .forward(let visit)? = effects.last {
                delivery = visit.header.id
            }
        }
        effects.clear()
    }

    /// Answers the last visit with accept and the verdict `handled`.
    mutating func answer(by node: Node) {
        receive(Header(.accept, node: node.number, id: delivery), from: node.peer)
        receive(
            Header(
                .verdict, node: node.number, id: delivery, code: VerdictCode.handled.rawValue),
            from: node.peer)
        effects.clear()
    }

    /// Returns the credit of unacknowledged visits in batches, as a worker does.
    mutating func returnCredit(of node: Node) {
        let place = Int(node.number)
        while creditDue.count <= place {
            creditDue.append(0)
        }
        creditDue[place] += 1
        let due = creditDue[place]
        guard due == 64 else {
            return
        }
        creditDue[place] = 0
        receive(Header(.credit, node: node.number, code: due), from: node.peer)
        effects.clear()
    }
}

/// A message without fields and payload. All messages share one memory, so only the object is allocated.
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
