// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator
import CascadeTestSupport
import CascadeWire

@testable import CascadeBroker

/// A broker among peers that send anything at any time, and the invariants it must keep.
struct ChaosBus: ~Copyable {
    /// The origin of an event, as its visits must show it.
    struct Source: Equatable {
        var path: NodePath
        /// Its path before it was moved. Retained publications stay there.
        var formerPaths: [NodePath] = []
        var name: EventName?
        /// It is of another bus, and stays where it is when the mount of that bus is moved.
        var isForeign = false
        /// A forged number named two events of one session, which cannot be told apart.
        var isAmbiguous = false
    }

    var generator: SeededGenerator
    let limits: Limits
    var peers: [ChaosPeer] = []
    var payloads = PayloadWatch()
    /// The events of each session, by the text of their IDs.
    var sources: [EventID: Source] = [:]
    /// The sequence numbers that sessions have used, which outlive connections.
    var lastSequences: [SessionID: UInt64] = [:]
    /// The events of each session without a known outcome, on any connection.
    var unfinished: [SessionID: Set<UInt64>] = [:]
    /// The violated invariants.
    var faults: [String] = []

    /// The number of messages of other buses that were raised.
    var foreignCount: UInt64 = 0
    private var broker: Broker
    var now = Instant(nanoseconds: 1_000_000_000)
    var lastPeer: UInt32 = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        var configuration = BrokerConfiguration(bus: "chaos", release: "1", processID: 1)
        configuration.limits.messageBytes = 4_096
        configuration.limits.depth = 5
        configuration.limits.nodes = 60
        configuration.limits.nodesPerSession = 8
        configuration.limits.respondersPerNode = 4
        configuration.limits.subscriptionsPerNode = 3
        configuration.limits.names = 12
        configuration.limits.credit = 12
        configuration.limits.waitingEmits = 5
        configuration.limits.repeatingQueries = 2
        configuration.limits.retained = 5
        configuration.limits.traces = 16
        configuration.limits.monitorEvents = 8
        configuration.limits.monitored = 8
        configuration.graceMilliseconds = 3_000
        configuration.deadlineMilliseconds = 10_000
        configuration.greetingMilliseconds = 5_000
        configuration.reattachMilliseconds = seed % 2 == 0 ? 0 : 30_000
        configuration.isShared = seed % 3 == 0
        limits = configuration.limits
        broker = Broker(configuration: configuration, at: now)
    }

    // MARK: - Driving

    mutating func handle(_ input: Input) {
        note(payloads.settle())
        var effects: [Effect] = []
        broker.handle(input, at: now, into: &effects)
        perform(effects)
    }

    mutating func advance(milliseconds: UInt32) {
        now = now.advanced(byMilliseconds: milliseconds)
        while let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
    }

    func parksInputs(of peer: PeerID) -> Bool {
        broker.parksInputs(of: peer)
    }

    /// The ID of a delivery under way, of any peer and sent or not, or of
    /// one that would have the slot of a delivery that has ended.
    mutating func deliveryUnderWay() -> UInt64 {
        let all = broker.hierarchy.subtree(of: Hierarchy.root, depth: .max).flatMap { node in
            broker.traffic.deliveries.outstanding(at: node)
                + broker.traffic.deliveries.waiting(at: node)
        }
        guard generator.isLucky(50), let last = all.map(\.slot).max() else {
            return all.isEmpty ? 0 : DeliveryID(generator.pick(all)).wire
        }
        let slot = UInt64(generator.below(last + 2))
        let generation = UInt64(generator.below(4)) + 1
        return generation << 32 | slot
    }

    /// The retained values.
    var retainedKeys: [(path: NodePath, name: EventName)] {
        broker.traffic.publications.retained.keys
    }

    func place(of peer: PeerID) -> Int? {
        peers.firstIndex { $0.id == peer }
    }

    mutating func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
        if !condition {
            faults.append(fault())
        }
    }

    // MARK: - The end

    /// Lets all deadlines pass, then ends every peer and checks what is left.
    mutating func settle() {
        // A connection ends soon after its process.
        while let place = peers.firstIndex(where: \.hasExited) {
            peers[place].hasExited = false
            lose(place)
        }
        // Peers become unresponsive meanwhile, which the bus reports as errors.
        for _ in 0..<90 {
            advance(milliseconds: 1_000)
        }
        for peer in peers where peer.isOpen {
            expect(peer.pending.isEmpty, "no outcome for \(peer.pending.sorted())")
        }
        expect(broker.isIdle, "something is under way long after every deadline")
        for peer in peers {
            handle(.gone(peer.id))
        }
        peers = []
        advance(milliseconds: 60_000)
        let places = broker.hierarchy.count - 1
        expect(places == 0, "\(places) places are left")
        let deliveries = broker.traffic.deliveries.count
        expect(deliveries == 0, "\(deliveries) deliveries are left")
        expect(
            broker.observers.repeatingQueries.peerCount == 0,
            "a repeating query of a peer that has left")
        expect(broker.observers.monitors.isEmpty, "a monitor of a peer that has left")
        clearRetained()
        expect(
            broker.traffic.publications.retained.isEmpty, "values are retained that were cleared")
        expect(
            broker.traffic.publications.retained.replacedCount == 0, "messages are kept for no peer"
        )
        expect(payloads.count == 0, "messages are kept")
        for account in broker.accounts.accounts {
            expect(account.messageByteCount == 0, "bytes are charged for no message: \(account)")
            expect(account.sessionCount == 0, "sessions are counted that have ended: \(account)")
            expect(account.nodeCount == 0, "nodes are counted that have gone: \(account)")
        }
        checkTables()
    }

    /// Nothing that has ended is charged to a user, and its numbers are free.
    private mutating func checkTables() {
        var accounts = broker.accounts
        var names = broker.names
        names.sweep(keeping: SlotSet(), &accounts)
        expect(names.count == 0, "\(names.count) names have numbers that nothing uses")
        // The root stays, and entries kept for inspection; keys are freed when others need them.
        let kept: [SharedTable] = [
            .nodes, .keys, .keptValues, .undelivered, .undeliveredBytes, .quarantined, .traces,
            .monitorEvents,
        ]
        expect(accounts.used(.nodes) == 1, "\(accounts.used(.nodes)) places are charged")
        expect(
            accounts.used(.keptValues) == broker.environment.keptCount, "values are miscounted")
        expect(accounts.used(.keys) == broker.environment.table.keys.count, "keys are miscounted")
        expect(accounts.used(.traces) == broker.observers.traces.count, "traces are miscounted")
        for table in SharedTable.allCases where !kept.contains(table) {
            expect(accounts.used(table) == 0, "\(accounts.used(table)) of \(table) are charged")
        }
    }
}
