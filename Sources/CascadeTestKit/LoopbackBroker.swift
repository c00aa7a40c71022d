// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeBroker
import CascadeWire

/// The daemon's broker in memory, with arrays in place of sockets, and a virtual clock.
///
/// The links of all workers run on the executor of this actor. The broker processes what they send
/// before the call returns; its own messages wait in one queue, in order, for ``deliver()``.
actor LoopbackBroker {
    private enum Delivery {
        case message([UInt8], to: PeerID)
        case end(PeerID)
    }

    /// The results of the broker's effects that have not been processed.
    private struct Outbox: BrokerHost {
        var deliveries: [Delivery] = []
        /// The number of the last durable entry not yet reported to the broker as persisted.
        var unconfirmedEntry: UInt64?
        /// The error of the rules that were loaded last, if any.
        var rulesError: String?

        mutating func send(_ message: [UInt8], to peer: PeerID) {
            deliveries.append(.message(message, to: peer))
        }

        mutating func forward(_ forwarded: Forward) {
            deliveries += forwarded.messages.map { .message($0, to: forwarded.peer) }
        }

        mutating func disconnect(_ peer: PeerID) {
            deliveries.append(.end(peer))
        }

        /// Entries are durable at once: a bus in memory cannot lose them.
        mutating func persist(_ entry: JournalEntry) {
            unconfirmedEntry = entry.number
        }

        mutating func log(_ entry: LogEntry) {
            if case .filesRefused(_, let sentence) = entry {
                rulesError = sentence
            }
        }
    }

    private var broker: Broker
    private var outbox = Outbox()
    private var links: [PeerID: Link] = [:]
    private var lastPeer: UInt32 = 0
    private let clock: VirtualClock

    nonisolated let executor = LoopbackExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// A stream with an element whenever ``deliver()`` must be called.
    nonisolated let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(clock: VirtualClock) {
        self.clock = clock
        broker = Broker(configuration: .loopback, at: Instant(clock.now))
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Connections

    /// Connects a link, and returns its peer.
    func connect(_ link: Link, processID: UInt32) -> PeerID {
        lastPeer += 1
        let peer = PeerID(index: lastPeer, generation: 1)
        links[peer] = link
        handle(
            .connected(peer, Credentials(processID: processID, userID: 0, groupID: 0)))
        return peer
    }

    /// Ends a connection, on which no more messages arrive.
    func disconnect(_ peer: PeerID) {
        if links.removeValue(forKey: peer) != nil {
            handle(.gone(peer))
        }
    }

    /// Replaces the broker by an empty one, and breaks every connection.
    func restart() {
        var configuration = BrokerConfiguration.loopback
        configuration.reattachMilliseconds = 2_000
        broker = Broker(configuration: configuration, at: Instant(clock.now))
        outbox.deliveries = []
        let connected = links.sorted { $0.key.index < $1.key.index }.map(\.value)
        links = [:]
        for link in connected {
            link.assumeIsolated { $0.disconnected() }
        }
        deliver()
    }

    /// Replaces the bus's rules. Returns an error if they are invalid; then the previous rules remain.
    func load(_ rules: String) -> String? {
        outbox.rulesError = nil
        handle(.rules([RuleModelFile(file: "rules", text: rules)]))
        deliver()
        return outbox.rulesError
    }

    // MARK: - Messages

    /// Passes a message of a link to the broker.
    func receive(_ message: [UInt8], from peer: PeerID) {
        guard links[peer] != nil else {
            return
        }
        handle(.received(peer, OwnedPayload(message)))
    }

    /// Delivers the queued messages, and those that result from them.
    func deliver() {
        while !outbox.deliveries.isEmpty {
            let batch = outbox.deliveries
            outbox.deliveries = []
            for delivery in batch {
                deliver(delivery)
            }
        }
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .message(let message, let peer):
            guard let link = links[peer], let header = try? Header(parsing: message) else {
                // The connection has ended meanwhile. The header is always valid.
                return
            }
            link.assumeIsolated { $0.received(header, message.span.bytes) }
        case .end(let peer):
            links[peer] = nil
        }
    }

    /// Stops all deliveries.
    func close() {
        wakeUp.finish()
        links = [:]
    }

    // MARK: - Time

    /// Advances the time. Timers fire in order at their own time, and tasks that they wake run until
    /// all wait again before the time advances further.
    func advance(by duration: Duration) async {
        let end = clock.now.advanced(by: duration)
        await executor.idle()
        while let due = await nextDue, due <= end {
            await clock.move(to: due)
            if let deadline = broker.nextDeadline, deadline <= Instant(clock.now) {
                handle(.deadline)
            }
            await executor.idle()
        }
        await clock.move(to: end)
    }

    private var nextDue: VirtualClock.Instant? {
        get async {
            let deadline = broker.nextDeadline.map {
                VirtualClock.Instant(nanoseconds: $0.nanoseconds)
            }
            return [deadline, await clock.nextAlarm].compactMap(\.self).min()
        }
    }

    // MARK: - Effects

    private func handle(_ input: Input) {
        var effects: [Effect] = []
        broker.handle(input, at: Instant(clock.now), into: &effects)
        outbox.perform(effects)
        if let number = outbox.unconfirmedEntry {
            outbox.unconfirmedEntry = nil
            handle(.persisted(upTo: number))
        }
        if !outbox.deliveries.isEmpty {
            wakeUp.yield()
        }
    }
}

extension BrokerConfiguration {
    /// The daemon's default configuration without beats, which peers in the same process do not answer.
    fileprivate static var loopback: BrokerConfiguration {
        var configuration = BrokerConfiguration(bus: "loopback", release: "test", processID: 0)
        configuration.beatMilliseconds = .max
        configuration.keepsDurable = true
        return configuration
    }
}

extension Instant {
    /// Converts the clock's time to the broker's type.
    fileprivate init(_ instant: VirtualClock.Instant) {
        self.init(nanoseconds: instant.nanoseconds)
    }
}

// MARK: - Transport

/// The transport between a link and a broker in memory. Both run on the same executor, so a send is a
/// function call.
final class LoopbackTransport: SessionTransport {
    let isConnected = true
    let writesInTurns = false

    private unowned let link: Link
    private let broker: LoopbackBroker
    private let processID: UInt32
    private var peer: PeerID

    init(link: isolated Link, broker: LoopbackBroker, processID: UInt32) {
        self.link = link
        self.broker = broker
        self.processID = processID
        peer = broker.assumeIsolated { $0.connect(link, processID: processID) }
    }

    func send(_ header: Header) {
        send(header.encoded())
    }

    func send(_ message: [UInt8]) {
        let peer = peer
        broker.assumeIsolated { $0.receive(message, from: peer) }
    }

    func send(_ header: Header, fields: [UInt8], payload: [UInt8]) {
        send(header.encoded() + fields + payload)
    }

    func reconnect() {
        close()
        let link = link
        let processID = processID
        peer = broker.assumeIsolated { $0.connect(link, processID: processID) }
        link.assumeIsolated { $0.connected() }
    }

    func close() {
        let peer = peer
        broker.assumeIsolated { $0.disconnect(peer) }
    }
}
