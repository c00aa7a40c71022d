// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// A worker process of a simulation: the real session, driven as by the library's link, and nodes with
/// handlers that do all that handlers of an application may do.
final class SimulatedProcess {
    enum State {
        case down
        case running
        /// Stopped as by SIGSTOP.
        case stopped
    }

    /// A running responder or subscription.
    struct Invoked {
        var visit: Visit
        var kind: ResponderKind?
        var attempt: RepetitionOracle.Attempt
        /// Whether the daemon has cancelled it.
        var isCancelled = false
    }

    unowned let simulation: Simulation
    let index: Int
    let declarations: [NodeDeclaration]
    private(set) var state = State.down
    /// The number of starts so far.
    private(set) var incarnation = 0
    private(set) var processID: UInt32 = 0
    var session: Session
    private(set) var connection: ConnectionID?
    var effects: [SessionEffect] = []
    private var isPerforming = false
    /// The number of effects that are performed before the process is killed; `nil` for no kill.
    var effectsUntilCrash: Int?

    /// The attached nodes, according to the daemon's answers.
    var nodes: [NodePath] = []
    /// The responders of its nodes, by path.
    var responders: [NodePath: [ResponderDeclaration]] = [:]
    /// The declarations of requested attachments, by request.
    var attaching: [UInt64: [NodeDeclaration]] = [:]
    /// The declarations of requested changes, by request.
    var changing: [UInt64: NodeDeclaration] = [:]
    var lastRequest: UInt64 = 0
    /// The request to leave with all nodes. The process exits after its answer.
    var leaving: UInt64?
    var invoked: [InvocationToken: Invoked] = [:]
    /// Handlers that end when the process is continued.
    var postponed: [InvocationToken] = []
    /// Messages that wait for credit.
    var backlog: [(Raising, RaiseOptions)] = []
    /// Requests that wait for a reply.
    var requests: [UInt64] = []
    /// The environment of its nodes according to the notifications.
    var environment: [NodePath: [String: String]] = [:]
    private var lastReceived: [[UInt8]] = []

    init(simulation: Simulation, index: Int, declarations: [NodeDeclaration]) {
        self.simulation = simulation
        self.index = index
        self.declarations = declarations
        session = Session(id: SessionID(high: 0, low: 0), program: "", processID: 0)
    }

    // MARK: - Lifetime

    func start() {
        guard state == .down else {
            return
        }
        incarnation += 1
        processID = simulation.processID(for: index)
        state = .running
        let secret = SessionSecret(using: &simulation.random)
        session = Session(secret: secret, program: "simulated", processID: processID)
        simulation.log(
            "process \(index) starts as \(session.id), \(processID)", session: session.id)
        nodes = []
        responders = [:]
        environment = [:]
        lastRequest = 0
        connect()
        session.connected(into: &effects)
        for declaration in declarations {
            attach(declaration)
        }
        perform()
    }

    /// Kills the process.
    func crash() {
        guard state != .down else {
            return
        }
        simulation.log("process \(index) is killed", session: session.id)
        simulation.count(.processCrash)
        end()
        simulation.plan(
            .startProcess(index), afterMilliseconds: simulation.random.pick([0, 5, 300, 3_000]))
    }

    /// Ends the process, and its end of the connection.
    func end() {
        guard state != .down else {
            return
        }
        state = .down
        simulation.oracles.activation.processEnded(index)
        simulation.oracles.outcome.originEnded(index)
        simulation.oracles.answer.processEnded(index)
        effects = []
        effectsUntilCrash = nil
        attaching = [:]
        changing = [:]
        leaving = nil
        invoked = [:]
        postponed = []
        backlog = []
        requests = []
        nodes = []
        if let connection {
            simulation.processEnded(connection, isHeldByChild: simulation.random.isLucky(15))
        }
        connection = nil
    }

    func stop() {
        if state == .running {
            simulation.log("process \(index) is stopped", session: session.id)
            simulation.count(.processStop)
            state = .stopped
        }
    }

    func resume() {
        guard state == .stopped else {
            return
        }
        simulation.log("process \(index) is continued", session: session.id)
        state = .running
        if let connection {
            receive(by: connection)
            receive(by: simulation.network.target(of: connection))
            if simulation.network[connection]?.isBroken ?? true {
                endConnection(connection)
            }
        }
        let tokens = postponed
        postponed = []
        for token in tokens {
            finish(token)
        }
    }

    // MARK: - Inputs

    /// Stores the last messages, for a planted bug that repeats them.
    private func storeReceived(_ message: [UInt8]) {
        // A repeated violation would end each new connection too.
        if simulation.options.bug == .staleMessage, message.first != Command.violation.rawValue {
            lastReceived.append(message)
            lastReceived.removeFirst(max(0, lastReceived.count - 5))
        }
    }

    private func connect() {
        connection = simulation.network.open(
            process: index, incarnation: incarnation, processID: processID)
    }

    /// Returns whether messages of the connection arrive at this process's socket.
    private func isOwn(_ other: ConnectionID) -> Bool {
        guard let connection else {
            return false
        }
        return other == connection || other == simulation.network.target(of: connection)
    }

    /// Receives the messages that have arrived on a connection.
    func receive(by arriving: ConnectionID) {
        while state == .running, isOwn(arriving),
            let message = simulation.network.receive(.down, by: arriving, at: simulation.now)
        {
            receive(message)
        }
    }

    private func receive(_ message: [UInt8]) {
        storeReceived(message)
        do throws(WireError) {
            let header = try Header(parsing: message)
            try session.received(header, message.span.bytes, into: &effects)
        } catch {
            simulation.addFinding(
                Finding(
                    "protocol", "the daemon sent a message that the session rejects: \(error)",
                    session: session.id))
            session.disconnected(into: &effects)
        }
        perform()
    }

    /// Ends a broken connection after its remaining messages have been received.
    func endConnection(_ connection: ConnectionID) {
        guard state == .running, isOwn(connection) else {
            return
        }
        receive(by: connection)
        guard state == .running, isOwn(connection) else {
            return
        }
        simulation.log(
            "process \(index) detects the end of its connection", session: session.id)
        session.disconnected(into: &effects)
        perform()
    }

    // MARK: - Effects

    /// Performs the pending effects in order, including those that result from them.
    func perform() {
        guard !isPerforming else {
            return
        }
        isPerforming = true
        defer { isPerforming = false }
        var index = 0
        while index < effects.count {
            if let left = effectsUntilCrash {
                guard left > 0 else {
                    simulation.count(.processCrashMidway)
                    crash()
                    return
                }
                effectsUntilCrash = left - 1
            }
            perform(effects[index])
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    /// Replaces the connection by a new one. The process is a new peer to the daemon.
    func reconnect() {
        guard state == .running else {
            return
        }
        if let connection {
            simulation.processEnded(connection)
        }
        environment = [:]
        connect()
        if let connection, simulation.isFaulty,
            simulation.random.happens(perMille: simulation.plan.faults.blackHoles)
        {
            simulation.loseEverything(on: connection)
        }
        session.connected(into: &effects)
        if simulation.triggers(.staleMessage) {
            for message in lastReceived {
                simulation.send(message, .down, by: connection)
            }
        }
    }
}
