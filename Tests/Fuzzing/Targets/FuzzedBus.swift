// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker with a clock, conforming and hostile peers, and a journal that loses nothing.
struct FuzzedBus: ~Copyable {
    private var broker: Broker
    private let keepsDurable: Bool
    private var now = Instant(nanoseconds: 1_000_000_000)
    /// The numbers of the journal entries that have not been reported to the broker as written.
    private var persisted: [UInt64] = []
    private var conformingPeers: [ConformingPeer] = []
    /// The connections of the hostile peers; `nil` for a disconnected one.
    private var hostile: [PeerID?] = [nil, nil, nil, nil]
    private var lastGeneration: UInt32 = 0
    /// The messages in transit to peers.
    private var inTransit: [(peer: PeerID, message: [UInt8])] = []

    init(keepsDurable: Bool = false) {
        var configuration = BrokerConfiguration(bus: "fuzzed", release: "1", processID: 1)
        configuration.limits.depth = 6
        configuration.limits.nodes = 40
        configuration.limits.nodesPerSession = 8
        configuration.limits.respondersPerNode = 6
        configuration.limits.names = 30
        configuration.limits.credit = 8
        configuration.limits.waitingEmits = 5
        configuration.limits.repeatingQueries = 2
        configuration.limits.retained = 4
        configuration.limits.undelivered = 8
        configuration.limits.keys = 20
        configuration.graceMilliseconds = 2_000
        configuration.deadlineMilliseconds = 5_000
        configuration.reattachMilliseconds = 0
        configuration.limits.durable = 6
        configuration.limits.durableOutcomes = 4
        configuration.limits.keptValues = 6
        configuration.keepsDurable = keepsDurable
        self.keepsDurable = keepsDurable
        broker = Broker(configuration: configuration, at: now)
    }

    // MARK: - Steps

    /// Connects the conforming peers.
    mutating func open() {
        conformingPeers = [ConformingPeer(0), ConformingPeer(1)]
        for index in conformingPeers.indices {
            handle(.connected(conformingPeers[index].id, ConformingPeer.credentials))
            withConformingPeers { $0[index].open() }
        }
    }

    /// Restores the handover of the previous daemon. Call it first.
    mutating func restore(_ handover: Handover) {
        broker.restore(handover)
    }

    var handover: Handover {
        broker.handover()
    }

    /// Recovers the records of a journal. Call it first.
    mutating func recover(_ records: [[UInt8]]) {
        handle(.recovered(records, fault: nil))
    }

    /// Whether no message is under way or held.
    var isIdle: Bool {
        broker.isIdle
    }

    mutating func raise() {
        withConformingPeers { $0[1].raise() }
    }

    mutating func endConnection(_ index: Int) {
        if let peer = hostile[index] {
            hostile[index] = nil
            handle(.gone(peer))
        }
    }

    /// Reports that the peer's process has exited; its connection ends later.
    mutating func exit(_ index: Int) {
        if let peer = hostile[index] {
            handle(.exited(peer))
        }
    }

    mutating func receiveMalformed(from index: Int) {
        handle(.malformed(connection(index), WireError("malformed")))
    }

    mutating func greet(_ index: Int) {
        let hello = Hello(
            session: SessionID(high: 7, low: UInt64(index)), program: "hostile", processID: 9)
        receive(hello.encoded(), from: index)
    }

    mutating func load(_ text: [UInt8]) {
        let text = String(decoding: text, as: UTF8.self)
        handle(.rules([RuleModelFile(file: "fuzzed.rules", text: text)]))
    }

    mutating func receive(_ message: [UInt8], from index: Int) {
        receive(message, from: connection(index))
    }

    mutating func advance(milliseconds: UInt32) {
        now = now.advanced(byMilliseconds: milliseconds)
        while let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
    }

    /// Disconnects the hostile peers, and checks that every message has ended after all deadlines.
    mutating func settle() {
        for index in hostile.indices {
            endConnection(index)
        }
        for _ in 0..<40 {
            advance(milliseconds: 1_000)
        }
        precondition(broker.isIdle, "a message is under way after all deadlines")
        for peer in conformingPeers {
            precondition(peer.underWay.isEmpty, "\(peer.underWay) have no outcome")
        }
    }

    /// Returns the connection of a hostile peer, and opens it if necessary.
    private mutating func connection(_ index: Int) -> PeerID {
        if let peer = hostile[index] {
            return peer
        }
        lastGeneration += 1
        let peer = PeerID(index: UInt32(index) + 2, generation: lastGeneration)
        hostile[index] = peer
        handle(.connected(peer, Credentials(processID: 9, userID: 2, groupID: 2)))
        return peer
    }

    // MARK: - Conforming peers

    /// Calls `act` with the conforming peers, and passes their messages to the broker.
    private mutating func withConformingPeers(_ act: (inout [ConformingPeer]) -> Void) {
        act(&conformingPeers)
        for index in conformingPeers.indices {
            for message in conformingPeers[index].takeMessages() {
                receive(message, from: conformingPeers[index].id)
            }
        }
    }

    private mutating func deliverMessages() {
        while let delivery = inTransit.first {
            inTransit.removeFirst()
            if let index = conformingPeers.firstIndex(where: { $0.id == delivery.peer }) {
                withConformingPeers { $0[index].receive(delivery.message) }
            }
        }
    }

    // MARK: - The broker

    private mutating func receive(_ message: [UInt8], from peer: PeerID) {
        handle(.received(peer, OwnedPayload(message)))
    }

    private mutating func handle(_ input: Input) {
        var effects: [Effect] = []
        broker.handle(input, at: now, into: &effects)
        perform(effects)
        if let last = persisted.popLast() {
            persisted = []
            handle(.persisted(upTo: last))
        }
        deliverMessages()
    }
}

// MARK: - Effects

extension FuzzedBus: BrokerHost {
    mutating func send(_ message: [UInt8], to peer: PeerID) {
        inTransit.append((peer, message))
    }

    mutating func forward(_ sent: Forward) {
        inTransit += sent.messages.map { (sent.peer, $0) }
        precondition(
            sent.header.fieldsLength == sent.payload.fieldsLength,
            "the header has the length of other fields")
        if sent.isLast {
            // The memory is released with the message, so the broker must not use it again.
            sent.payload.relocate(to: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    mutating func disconnect(_ peer: PeerID) {
        if let index = hostile.firstIndex(of: peer) {
            hostile[index] = nil
        }
        if let index = conformingPeers.firstIndex(where: { $0.id == peer }) {
            // A disconnected peer receives no outcomes.
            conformingPeers[index].end()
        }
    }

    mutating func persist(_ entry: JournalEntry) {
        precondition(keepsDurable, "the entry \(entry), although the bus has no journal")
        persisted.append(entry.number)
    }

    mutating func log(_ entry: LogEntry) {
        _ = "\(entry)"
    }
}
