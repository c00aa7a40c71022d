// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker whose messages wait in an array, and whose journal is written at once, or when its disk has had
/// time.
final class OracleBus: BrokerHost {
    private let configuration: BrokerConfiguration
    private var broker: Broker
    /// The records of the journal, in the order in which they were written.
    private var journal: [(key: EventID, body: [UInt8])] = []
    private var lastEntry: UInt64 = 0
    /// How long the disk takes before a record outlasts a loss of power.
    var syncMilliseconds: UInt32 = 0
    /// The records that a loss of power takes, and when they are on the disk.
    private var unsynced: [JournalEntry] = []
    private var syncsAt: Instant?
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

    /// The machine has lost its power, and the disk what it had not written.
    func losePower() {
        unsynced = []
    }

    /// Ends the daemon, and begins another one on its journal.
    func restart(at now: Duration) {
        self.now = Instant(now)
        outbox = []
        store()
        lastEntry = 0
        var configuration = configuration
        configuration.reattachMilliseconds = 5_000
        broker = Broker(configuration: configuration, at: self.now)
        handle(.recovered(journal.map(\.body), fault: nil))
    }

    /// When the broker has to act.
    var deadline: Duration? {
        nextTime.map { .nanoseconds(Int64(clamping: $0.nanoseconds)) }
    }

    private var nextTime: Instant? {
        [broker.nextDeadline, syncsAt].compactMap(\.self).min()
    }

    /// The wall clock is set.
    func setWallClock(epochNanoseconds: UInt64) {
        var configuration = configuration
        configuration.epochNanoseconds = epochNanoseconds
        handle(.configured(configuration))
    }

    /// Lets a node have so many responders, from its next declaration on.
    func setLimit(respondersPerNode limit: UInt32) {
        var configuration = configuration
        configuration.limits.respondersPerNode = limit
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
        while let next = nextTime, next <= Instant(end) {
            now = max(now, next)
            if let syncsAt, syncsAt <= now {
                store()
                handle(.persisted(upTo: lastEntry))
            } else {
                handle(.deadline)
            }
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
        guard lastEntry > before else {
            return
        }
        if syncMilliseconds > 0 {
            syncsAt = syncsAt ?? now.advanced(byMilliseconds: syncMilliseconds)
        } else {
            store()
            handle(.persisted(upTo: lastEntry))
        }
    }

    /// What was written is on the disk.
    private func store() {
        for entry in unsynced {
            journal.removeAll { $0.key == entry.key }
            if let body = entry.body {
                journal.append((entry.key, body))
            }
        }
        unsynced = []
        syncsAt = nil
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
        unsynced.append(entry)
    }

    func log(_ entry: LogEntry) {}
}

extension Instant {
    fileprivate init(_ time: Duration) {
        self.init(nanoseconds: UInt64(time.wholeNanoseconds))
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
