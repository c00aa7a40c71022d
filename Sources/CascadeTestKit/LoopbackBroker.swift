// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeBroker
import CascadeWire

/// The daemon's broker in memory. Messages are arrays, and time is a number.
///
/// The links of all workers run on the executor of this actor. The broker processes what they send
/// before the call returns; its own messages wait in one queue, in order, for ``deliver()``.
actor LoopbackBroker {
    private enum Delivery {
        case message([UInt8], to: PeerID)
        case end(PeerID)
    }

    private var broker: Broker
    /// The number of the last durable entry not yet reported to the broker as persisted.
    private var unconfirmedEntry: UInt64?
    private var links: [PeerID: Link] = [:]
    private var lastPeer: UInt32 = 0
    private var deliveries: [Delivery] = []
    private let clock: VirtualClock
    /// The error of the rules that were loaded last, if any.
    private var rulesError: String?

    nonisolated let executor = LoopbackExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// One element each time that ``deliver()`` is due.
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

    /// Ends a connection. No more messages arrive on it.
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
        deliveries = []
        let connected = links.sorted { $0.key.index < $1.key.index }.map(\.value)
        links = [:]
        for link in connected {
            link.assumeIsolated { $0.disconnected() }
        }
        deliver()
    }

    /// Replaces the bus's rules. Returns the error if they are invalid; then the previous rules
    /// stay.
    func load(_ rules: String) -> String? {
        rulesError = nil
        handle(.rules([RuleModelFile(file: "rules", text: rules)]))
        deliver()
        return rulesError
    }

    // MARK: - Messages

    /// Passes a message of a link to the broker.
    func received(_ message: [UInt8], from peer: PeerID) {
        guard links[peer] != nil else {
            return
        }
        handle(.received(peer, OwnedPayload(message)))
    }

    /// Delivers the queued messages, and those that follow from them.
    func deliver() {
        while !deliveries.isEmpty {
            let batch = deliveries
            deliveries = []
            for delivery in batch {
                deliver(delivery)
            }
        }
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .message(let message, let peer):
            guard let link = links[peer], let header = try? Header(parsing: message) else {
                // The connection has ended meanwhile. The broker itself sends no invalid header.
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
        for effect in effects {
            perform(effect)
        }
        if let number = unconfirmedEntry {
            unconfirmedEntry = nil
            handle(.persisted(upTo: number))
        }
        if !deliveries.isEmpty {
            wakeUp.yield()
        }
    }

    private func perform(_ effect: Effect) {
        if let sent = effect.sent {
            deliveries += sent.messages.map { .message($0, to: sent.peer) }
        }
        switch effect {
        case .broadcast:
            effect.individual.forEach(perform)
        case .disconnect(let peer):
            deliveries.append(.end(peer))
        case .persist(let entry):
            // Entries are durable at once: a bus in memory cannot lose them.
            unconfirmedEntry = entry.number
        case .log(.filesRefused(_, let sentence)):
            rulesError = sentence
        case .send, .sendMessage, .forward, .postpone, .resume, .log:
            // Inputs are postponed only while an exited process is reaped. Here no process exits.
            break
        }
    }
}

extension BrokerConfiguration {
    /// The daemon's defaults, without beats, which peers in the same process do not answer.
    fileprivate static var loopback: BrokerConfiguration {
        var configuration = BrokerConfiguration(bus: "loopback", release: "test", processID: 0)
        configuration.beatMilliseconds = .max
        configuration.keepsDurable = true
        return configuration
    }
}

extension Instant {
    /// The clock's time as the broker's type.
    fileprivate init(_ instant: VirtualClock.Instant) {
        self.init(nanoseconds: instant.nanoseconds)
    }
}

// MARK: - Transport

/// The transport between a link and a broker in memory. Both run on the same executor, so a send is
/// a call.
final class LoopbackTransport: SessionTransport {
    let isConnected = true

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
        broker.assumeIsolated { $0.received(message, from: peer) }
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
