// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker whose messages wait in an array.
final class OracleBus: BrokerHost {
    private var broker: Broker
    private(set) var outbox: [(peer: PeerID, message: [UInt8])] = []
    private var lastPeer: UInt32 = 0
    private var now: Instant

    init(_ name: String, at now: Duration) {
        self.now = Instant(now)
        var configuration = BrokerConfiguration(bus: name, release: "test", processID: 1)
        configuration.beatMilliseconds = .max
        broker = Broker(configuration: configuration, at: self.now)
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
        perform(effects)
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

    func persist(_ entry: JournalEntry) {}

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
