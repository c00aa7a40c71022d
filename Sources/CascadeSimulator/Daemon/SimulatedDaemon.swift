// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The daemon of a simulation: the real broker, with arrays in place of sockets.
final class SimulatedDaemon {
    enum State {
        case running
        /// Stopped as by SIGSTOP.
        case stopped
        case down
    }

    unowned let simulation: Simulation
    private(set) var state = State.down
    private(set) var broker: Broker
    private var brokerDeadline: Instant?
    /// The number of daemons started so far.
    private(set) var incarnation = 0
    var payloads = PayloadWatch()
    /// Payloads that a planted bug retains.
    var leakedPayloads: [Payload] = []
    var wiretap = Wiretap()
    var connections: [PeerID: ConnectionID] = [:]
    var lastPeer: UInt32 = 0
    /// Free peer numbers, each with its next generation.
    var freePeers: [PeerID] = []
    /// The sessions that have sent a greeting to this daemon.
    var greeted: Set<SessionID> = []
    /// Requested changes of the environment without an answer.
    var pendingChanges: [PendingChange] = []
    /// Peers to which a send was refused.
    var unreachable: [PeerID] = []
    /// The peers whose processes have exited, as reported to the broker.
    var exited: Set<PeerID> = []
    /// Connections that ended while the daemon was stopped.
    var undetectedEnds: [ConnectionID] = []
    /// The number of effects that are performed before the daemon is killed; `nil` for no kill.
    var effectsUntilCrash: Int?
    var journal = SimulatedJournal()
    /// The durable events that the daemon has received.
    var durableEvents: Set<EventID> = []
    /// A visit that a planted bug sends after the next visit of the same origin, or after some time.
    struct DelayedVisit {
        /// The number of the visit among all delayed ones.
        var number: Int
        var header: Header
        var message: [UInt8]
        var itinerary: Itinerary?
        var receiver: PeerID
    }
    var delayed: DelayedVisit?
    var delayedCount = 0
    /// The end of the time for which the daemon waits for nodes of its predecessor.
    private(set) var reattachEnd = Instant(nanoseconds: 0)
    private var stoppedAt = Instant(nanoseconds: 0)

    init(simulation: Simulation, configuration: BrokerConfiguration) {
        self.simulation = simulation
        broker = Broker(configuration: configuration, at: simulation.now)
    }

    // MARK: - Lifetime

    func start() {
        guard state == .down else {
            return
        }
        var configuration = simulation.brokerConfiguration
        if incarnation == 0 {
            configuration.reattachMilliseconds = 0
        }
        incarnation += 1
        state = .running
        reattachEnd = simulation.now.advanced(byMilliseconds: configuration.reattachMilliseconds)
        broker = Broker(configuration: configuration, at: simulation.now)
        payloads = PayloadWatch()
        leakedPayloads = []
        wiretap = Wiretap()
        connections = [:]
        freePeers = []
        greeted = []
        pendingChanges = []
        exited = []
        simulation.oracles.daemonStarted(simulation.plan.fileRules)
        simulation.log("daemon \(incarnation) starts")
        if simulation.plan.durablePercent > 0 {
            handle(.recovered(journal.records, fault: nil))
        }
        loadRules()
        for connection in simulation.network.all {
            simulation.planArrival(of: connection, .up)
        }
    }

    private func loadRules() {
        if !simulation.triggers(.forgottenRules) {
            let text = simulation.plan.fileRules.map { $0.text + "\n" }.joined()
            handle(.rules([RuleModelFile(file: "simulated.rules", text: text)]))
        }
    }

    /// Kills the daemon. Pending effects are lost.
    func crash() {
        guard state != .down else {
            return
        }
        simulation.log("daemon \(incarnation) is killed")
        simulation.count(.daemonCrash)
        state = .down
        effectsUntilCrash = nil
        unreachable = []
        undetectedEnds = []
        delayed = nil
        if simulation.plan.durablePercent > 0 {
            journal.crash(using: &simulation.random)
        }
        for connection in simulation.network.all {
            simulation.daemonEnded(connection)
        }
        let pause = simulation.random.pick([1, 50, 1_000])
        simulation.plan(.startDaemon, afterMilliseconds: pause)
    }

    /// Stops the daemon gracefully: it dismisses all peers.
    func stopGracefully() {
        guard state == .running else {
            return
        }
        simulation.count(.daemonEnd)
        handle(.stop)
        handle(.dismissAll)
        crash()
    }

    func stop() {
        if state == .running {
            simulation.log("daemon \(incarnation) is stopped")
            simulation.count(.daemonStop)
            state = .stopped
            stoppedAt = simulation.now
        }
    }

    func resume() {
        guard state == .stopped else {
            return
        }
        simulation.log("daemon \(incarnation) is continued")
        state = .running
        if reattachEnd > stoppedAt {
            // The broker processes the messages that arrived meanwhile before it reads the clock.
            reattachEnd = max(reattachEnd, simulation.now.advanced(byMilliseconds: 1))
        }
        for connection in simulation.network.all {
            receive(by: connection)
        }
        let ends = undetectedEnds
        undetectedEnds = []
        for connection in ends {
            endConnection(connection)
        }
    }

    // MARK: - Inputs

    /// The broker's next deadline; `nil` for none, or if the daemon does not run.
    var nextDeadline: Instant? {
        state == .running && simulation.options.bug != .sleepingClock ? brokerDeadline : nil
    }

    func deadline() {
        handle(.deadline)
        closeUnreachable()
    }

    // MARK: - Effects

    func handle(_ input: Input) {
        guard state == .running else {
            return
        }
        if let fault = payloads.settle() {
            simulation.addFinding(Finding("payload", fault))
        }
        var effects: [Effect] = []
        broker.handle(input, at: simulation.now, into: &effects)
        brokerDeadline = broker.nextDeadline
        var host = self
        for effect in effects {
            if let left = effectsUntilCrash {
                guard left > 0 else {
                    simulation.count(.daemonCrashMidway)
                    crash()
                    return
                }
                effectsUntilCrash = left - 1
            }
            host.perform(effect)
        }
    }
}
