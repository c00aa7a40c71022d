// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker with the parts of the daemon around it: held messages, a clock and peers.
struct FuzzedBus: ~Copyable {
    private var broker: Broker
    private let keepsDurable: Bool
    private var now = Instant(nanoseconds: 1_000_000_000)
    /// Events to answer with the given verdicts.
    private var persisted: [UInt64] = []
    private var goodPeers: [GoodPeer] = []
    /// The connections of hostile peers, and how often each was renewed.
    private var hostile: [PeerID?] = [nil, nil, nil, nil]
    private var lastGeneration: UInt32 = 0
    /// Messages in transit to conforming peers.
    private var mail: [(peer: PeerID, message: [UInt8])] = []

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

    mutating func open() {
        goodPeers = [GoodPeer(0), GoodPeer(1)]
        for place in goodPeers.indices {
            handle(.connected(goodPeers[place].id, GoodPeer.credentials))
            tell { $0[place].open() }
        }
    }

    /// Begins with the handover of the previous daemon.
    mutating func restore(_ handover: Handover) {
        broker.restore(handover)
    }

    var handover: Handover {
        broker.handover()
    }

    /// Begins with the records of the journal.
    mutating func recover(_ records: [[UInt8]]) {
        handle(.recovered(records, fault: nil))
    }

    /// Whether no message is under way or held.
    var isIdle: Bool {
        broker.isIdle
    }

    mutating func raise() {
        tell { $0[1].raise() }
    }

    mutating func lose(_ place: Int) {
        if let peer = hostile[place] {
            hostile[place] = nil
            handle(.gone(peer))
        }
    }

    /// Reports that the peer's process has exited; its connection ends later.
    mutating func exit(_ place: Int) {
        if let peer = hostile[place] {
            handle(.exited(peer))
        }
    }

    mutating func malformed(_ place: Int) {
        handle(.malformed(connection(place), WireError("rubbish")))
    }

    mutating func greet(_ place: Int) {
        let hello = Hello(
            session: SessionID(high: 7, low: UInt64(place)), program: "hostile", processID: 9)
        receive(hello.encoded(), from: place)
    }

    mutating func load(_ text: [UInt8]) {
        let text = String(decoding: text, as: UTF8.self)
        handle(.rules([RuleModelFile(file: "fuzzed.rules", text: text)]))
    }

    mutating func receive(_ message: [UInt8], from place: Int) {
        received(message, from: connection(place))
    }

    mutating func pass(milliseconds: UInt32) {
        now = now.advanced(byMilliseconds: milliseconds)
        while let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
    }

    /// Expects that every raised message has ended once all deadlines have passed.
    mutating func settle() {
        for place in hostile.indices {
            lose(place)
        }
        for _ in 0..<40 {
            pass(milliseconds: 1_000)
        }
        precondition(broker.isIdle, "something is under way after all deadlines")
        for peer in goodPeers {
            precondition(peer.underWay.isEmpty, "\(peer.underWay) have no outcome")
        }
    }

    private mutating func connection(_ place: Int) -> PeerID {
        if let peer = hostile[place] {
            return peer
        }
        lastGeneration += 1
        let peer = PeerID(index: UInt32(place) + 2, generation: lastGeneration)
        hostile[place] = peer
        handle(.connected(peer, Credentials(processID: 9, userID: 2, groupID: 2)))
        return peer
    }

    // MARK: - Conforming peers

    /// Lets conforming peers act, and the broker receive their messages.
    private mutating func tell(_ act: (inout [GoodPeer]) -> Void) {
        act(&goodPeers)
        for place in goodPeers.indices {
            for message in goodPeers[place].takeMessages() {
                received(message, from: goodPeers[place].id)
            }
        }
    }

    private mutating func deliverMail() {
        while let letter = mail.first {
            mail.removeFirst()
            if let place = goodPeers.firstIndex(where: { $0.id == letter.peer }) {
                tell { $0[place].receive(letter.message) }
            }
        }
    }

    // MARK: - The broker

    private mutating func received(_ message: [UInt8], from peer: PeerID) {
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
        deliverMail()
    }
}

// MARK: - Effects

extension FuzzedBus: BrokerHost {
    mutating func send(_ message: [UInt8], to peer: PeerID) {
        mail.append((peer, message))
    }

    mutating func forward(_ sent: Forward) {
        mail += sent.messages.map { (sent.peer, $0) }
        precondition(
            sent.header.fieldsLength == sent.payload.fieldsLength,
            "the header announces other fields")
        if sent.isLast {
            // As if the memory went out with the message: the broker does not use it again.
            sent.payload.relocate(to: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    mutating func disconnect(_ peer: PeerID) {
        if let place = hostile.firstIndex(of: peer) {
            hostile[place] = nil
        }
        if let place = goodPeers.firstIndex(where: { $0.id == peer }) {
            // The peer was closed, so the events it raised need no outcome.
            goodPeers[place].end()
        }
    }

    mutating func persist(_ entry: JournalEntry) {
        precondition(keepsDurable, "\(entry) is to be kept on no disk")
        persisted.append(entry.number)
    }

    mutating func log(_ entry: LogEntry) {
        _ = "\(entry)"
    }
}
