// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeBroker
import CascadeWire

/// The daemon's broker without a daemon: messages are arrays, time is a number.
///
/// The links of all workers run where this actor runs. What they send, the broker has taken when
/// the call returns; what the broker sends waits in one queue, in order, for ``deliver()``.
actor LoopbackBroker {
    private enum Delivery {
        case message([UInt8], to: PeerID)
        case end(PeerID)
    }

    private var broker: Broker
    /// The last entry that is to be answered as written.
    private var written: UInt64?
    private var links: [PeerID: Link] = [:]
    private var lastPeer: UInt32 = 0
    private var deliveries: [Delivery] = []
    private let clock: VirtualClock
    /// What was wrong with the rules that were loaded last.
    private var refusedRules: String?

    /// How often ``deliver()`` is due.
    nonisolated let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(clock: VirtualClock) {
        self.clock = clock
        broker = Broker(configuration: .loopback, at: Instant(clock.now))
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Connections

    /// A link has a new connection.
    func connect(_ link: Link, processID: UInt32) -> PeerID {
        lastPeer += 1
        let peer = PeerID(index: lastPeer, generation: 1)
        links[peer] = link
        handle(
            .connected(peer, Credentials(processID: processID, userID: 0, groupID: 0)))
        return peer
    }

    /// A connection has ended. Nothing comes by it any more.
    func disconnect(_ peer: PeerID) {
        if links.removeValue(forKey: peer) != nil {
            handle(.gone(peer))
        }
    }

    /// The broker starts again and knows nobody; every connection has ended.
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

    /// Puts rules in the place of those that stand for everybody. Returns what is wrong with them;
    /// then those before stay.
    func load(_ rules: String) -> String? {
        refusedRules = nil
        handle(.rules([RuleModelFile(file: "rules", text: rules)]))
        deliver()
        return refusedRules
    }

    // MARK: - Messages

    /// A link sends a message.
    func received(_ message: [UInt8], from peer: PeerID) {
        guard links[peer] != nil else {
            return
        }
        handle(.received(peer, OwnedPayload(message)))
    }

    /// Delivers whatever waits, and what that brings about.
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
                // The connection has ended meanwhile; the broker itself writes no bad header.
                return
            }
            link.assumeIsolated { $0.received(header, message.span.bytes) }
        case .end(let peer):
            links[peer] = nil
        }
    }

    /// Nothing is delivered any more.
    func close() {
        wakeUp.finish()
        links = [:]
    }

    // MARK: - Time

    /// Lets time pass. What is due on the way happens when it is due, and what it sets off gets its
    /// chance before time goes on.
    func advance(by duration: Duration) async {
        let end = clock.now.advanced(by: duration)
        await letOthersRun()
        while let due = await nextDue, due <= end {
            await clock.move(to: due)
            if let deadline = broker.nextDeadline, deadline <= Instant(clock.now) {
                handle(.deadline)
            }
            await letOthersRun()
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

    /// No task can know that all others wait; but after so many turns, they do.
    private func letOthersRun() async {
        for _ in 0..<50 {
            deliver()
            await Task.yield()
        }
    }

    // MARK: - Effects

    private func handle(_ input: Input) {
        var effects: [Effect] = []
        broker.handle(input, at: Instant(clock.now), into: &effects)
        for effect in effects {
            perform(effect)
        }
        if let number = written {
            written = nil
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
        case .disconnect(let peer):
            deliveries.append(.end(peer))
        case .persist(let entry):
            // Nothing can happen to a test's bus that its memory does not survive.
            written = entry.number
        case .log(.filesRefused(_, let sentence)):
            refusedRules = sentence
        case .send, .sendMessage, .forward, .log:
            break
        }
    }
}

extension BrokerConfiguration {
    /// The daemon's own defaults. Peers in the same process need give no signs of life.
    fileprivate static var loopback: BrokerConfiguration {
        var configuration = BrokerConfiguration(bus: "loopback", release: "test", processID: 0)
        configuration.beatMilliseconds = .max
        configuration.keepsDurable = true
        return configuration
    }
}

extension Instant {
    /// The clock's time as the broker counts it.
    fileprivate init(_ instant: VirtualClock.Instant) {
        self.init(nanoseconds: instant.nanoseconds)
    }
}
