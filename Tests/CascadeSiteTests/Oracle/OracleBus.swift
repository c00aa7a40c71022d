// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker whose messages wait in an array, and whose journal is written at once.
final class OracleBus: BrokerHost {
    private let configuration: BrokerConfiguration
    private var broker: Broker
    /// The records of the journal, in the order in which they were written.
    private var journal: [(key: EventID, body: [UInt8])] = []
    private var lastEntry: UInt64 = 0
    private(set) var outbox: [(peer: PeerID, message: [UInt8])] = []
    private var lastPeer: UInt32 = 0
    private var now: Instant

    /// - Parameters:
    ///   - keepsDurable: Whether there is a journal for durable events.
    ///   - epochNanoseconds: The wall clock's reading at the zero of the clock.
    init(
        _ name: String, at now: Duration, keepsDurable: Bool = false, epochNanoseconds: UInt64 = 0
    ) {
        self.now = Instant(now)
        var configuration = BrokerConfiguration(bus: name, release: "test", processID: 1)
        configuration.beatMilliseconds = .max
        configuration.keepsDurable = keepsDurable
        configuration.epochNanoseconds = epochNanoseconds
        self.configuration = configuration
        broker = Broker(configuration: configuration, at: self.now)
    }

    /// Ends the daemon, and begins another one on its journal.
    func restart(at now: Duration) {
        self.now = Instant(now)
        outbox = []
        lastEntry = 0
        var configuration = configuration
        configuration.reattachMilliseconds = 5_000
        broker = Broker(configuration: configuration, at: self.now)
        handle(.recovered(journal.map(\.body), fault: nil))
    }

    /// When the broker has to act.
    var deadline: Duration? {
        broker.nextDeadline.map { .nanoseconds(Int64(clamping: $0.nanoseconds)) }
    }

    /// The wall clock is set.
    func setWallClock(epochNanoseconds: UInt64) {
        var configuration = configuration
        configuration.epochNanoseconds = epochNanoseconds
        handle(.configured(configuration))
    }

    func connect() -> PeerID {
        lastPeer += 1
        let peer = PeerID(index: lastPeer, generation: 1)
        handle(
            .connected(
                peer, Credentials(processID: 1_000 + lastPeer, userID: 0, groupID: 0)))
        return peer
    }

    func receive(_ message: [UInt8], from peer: PeerID) {
        handle(.received(peer, OwnedPayload(message)))
    }

    /// Ends a connection.
    func lose(_ peer: PeerID) {
        handle(.gone(peer))
    }

    /// Lets the time pass until `end`, with all deadlines on the way.
    func pass(until end: Duration) {
        while let deadline = broker.nextDeadline, deadline <= Instant(end) {
            now = max(now, deadline)
            handle(.deadline)
        }
        now = Instant(end)
    }

    func takeMessages() -> [(peer: PeerID, message: [UInt8])] {
        defer { outbox = [] }
        return outbox
    }

    private func handle(_ input: Input) {
        var effects: [Effect] = []
        broker.handle(input, at: now, into: &effects)
        let before = lastEntry
        perform(effects)
        if lastEntry > before {
            handle(.persisted(upTo: lastEntry))
        }
    }

    // MARK: - Effects

    func send(_ header: Header, to peer: PeerID) {
        send(header.encoded(), to: peer)
    }

    func send(_ message: [UInt8], to peer: PeerID) {
        outbox.append((peer, message))
    }

    func forward(_ forwarded: Forward) {
        for message in forwarded.messages {
            send(message, to: forwarded.peer)
        }
    }

    func broadcast(_ broadcast: Broadcast) {
        for peer in broadcast.peers {
            send(broadcast.payload.message(under: broadcast.header), to: peer)
        }
    }

    func disconnect(_ peer: PeerID) {}

    func persist(_ entry: JournalEntry) {
        lastEntry = entry.number
        journal.removeAll { $0.key == entry.key }
        if let body = entry.body {
            journal.append((entry.key, body))
        }
    }

    func log(_ entry: LogEntry) {}
}

extension Instant {
    fileprivate init(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        self.init(
            nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
    }
}

extension BrokerHost where Self: AnyObject {
    func perform(_ effects: [Effect]) {
        var host = self
        for effect in effects {
            host.perform(effect)
        }
    }
}
