// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// One run: the real broker and real sessions in one process, with simulated time, network,
/// processes and randomness. The seed determines everything.
final class Simulation {
    let options: SimulationOptions
    let plan: SimulationPlan
    var random: Randomness
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private var agenda = Agenda()
    private var lastPayload = 0
    var network: SimulatedNetwork
    private(set) var history: History
    var oracles: Oracles
    private(set) var findings: [Finding] = []
    private(set) var counts = SimulationCounts()
    /// The paths of all declared nodes, and the root.
    let paths: [NodePath]
    /// Whether faults are still injected.
    var isFaulty = true
    /// Whether the daemon's next send is refused.
    var isRefusalDue = false
    /// The end of the partition of each process.
    var partitionEnds: [Int: Instant] = [:]
    /// The process that last used each process ID.
    private var processIDs: [UInt32: Int] = [:]
    /// All rules, by their text.
    let rules: [String: NaiveRule]
    /// The unhandled events, which processes retry.
    var unhandled: [EventID] = []

    private(set) lazy var daemon = SimulatedDaemon(
        simulation: self, configuration: plan.configuration)
    private(set) lazy var processes = plan.processes.enumerated().map { index, declarations in
        SimulatedProcess(simulation: self, index: index, declarations: declarations)
    }

    init(_ options: SimulationOptions) {
        self.options = options
        random = Randomness(seed: options.seed)
        var plan = SimulationPlan(&random)
        var others = Randomness(seed: ~options.seed)
        plan.addDurableEvents(&others)
        self.plan = plan
        oracles = Oracles(plan.configuration.limits)
        network = SimulatedNetwork(highWaterMark: plan.highWaterMark)
        history = History(isRecorded: options.keepsHistory)
        paths = plan.processes.flatMap { $0.map(\.path) } + [.root]
        rules = Dictionary(
            plan.nodeRules.map { ($0.text, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The broker's configuration, with the changes of a planted bug.
    var brokerConfiguration: BrokerConfiguration {
        var configuration = plan.configuration
        switch options.bug {
        case .ignoredLimit:
            configuration.limits.held *= 8
            configuration.limits.undelivered *= 8
            configuration.limits.retained *= 8
            configuration.limits.disconnectedSessions *= 8
            configuration.limits.keptValues *= 8
        case .endlessMemory: configuration.resumeMilliseconds = 1_000_000_000
        default: break
        }
        return configuration
    }

    // MARK: - The run

    func run() -> SimulationReport {
        daemon.start()
        for process in processes {
            plan(.startProcess(process.index), afterMilliseconds: random.within(0...20))
        }
        plan(.tick(0), afterMicroseconds: random.within(plan.pause))
        while isFaulty, findings.isEmpty {
            step()
        }
        settle()
        return SimulationReport(
            options: options, plan: plan.description, findings: findings, counts: counts,
            nanoseconds: now.nanoseconds - 1_000_000_000, history: history.all,
            excerpt: findings.first.map { history.excerpt(about: $0, count: 40) } ?? [])
    }

    /// Performs the next action.
    private func step() {
        let action = agenda.nextTime ?? Instant(nanoseconds: .max)
        if let deadline = daemon.nextDeadline, deadline < action {
            now = max(now, deadline)
            daemon.deadline()
        } else if let next = agenda.next() {
            now = max(now, action)
            perform(next)
        }
    }

    /// Performs the actions of the next `milliseconds`.
    func advance(milliseconds: UInt32) {
        let end = now.advanced(byMilliseconds: milliseconds)
        while findings.isEmpty {
            let next = [agenda.nextTime, daemon.nextDeadline].compactMap(\.self).min()
            guard let next, next <= end else {
                break
            }
            step()
        }
        now = max(now, end)
    }

    private func perform(_ action: Action) {
        switch action {
        case .tick(let number): tick(number)
        case .arrive(let connection, .up): daemon.receive(by: connection)
        case .arrive(let connection, .down):
            process(of: connection)?.receive(by: connection)
        case .daemonDetectsEnd(let connection): daemon.endConnection(connection)
        case .workerDetectsEnd(let connection):
            process(of: connection)?.endConnection(connection)
        case .expel(let connection, let expulsion): expel(connection, expulsion)
        case .startDaemon: daemon.start()
        case .continueDaemon: daemon.resume()
        case .writeJournal(let incarnation): daemon.writeJournal(of: incarnation)
        case .sendDelayed(let number): daemon.sendDelayed(number)
        case .startProcess(let index): processes[index].start()
        case .continueProcess(let index): processes[index].resume()
        case .attachAgain(let index, let incarnation):
            if processes[index].incarnation == incarnation {
                processes[index].attachAgain()
            }
        case .finish(let index, let incarnation, let token):
            if processes[index].incarnation == incarnation {
                processes[index].finish(token)
            }
        }
    }

    private func process(of connection: ConnectionID) -> SimulatedProcess? {
        guard let found = network[connection],
            processes[found.process].incarnation == found.incarnation
        else {
            return nil
        }
        return processes[found.process]
    }

    func process(of session: SessionID) -> SimulatedProcess? {
        processes.first { $0.session.id == session }
    }

    /// Returns an unused process ID for a process. Another process may have used it.
    func processID(for index: Int) -> UInt32 {
        let used = Set(processes.filter { $0.state != .down }.map(\.processID))
        let all = (100..<UInt32(102 + processes.count)).filter { !used.contains($0) }
        let processID = random.pick(all)
        if let former = processIDs.updateValue(index, forKey: processID), former != index {
            count(.reusedProcessID)
        }
        return processID
    }

    // MARK: - Planning

    func plan(_ action: Action, at time: Instant) {
        agenda.plan(action, at: time)
    }

    func plan(_ action: Action, afterMilliseconds milliseconds: Int) {
        plan(action, afterMicroseconds: milliseconds * 1000)
    }

    func plan(_ action: Action, afterMicroseconds microseconds: Int) {
        agenda.plan(action, at: instant(afterMicroseconds: microseconds))
    }

    func instant(afterMicroseconds microseconds: Int) -> Instant {
        Instant(nanoseconds: now.nanoseconds + UInt64(microseconds) * 1000)
    }

    // MARK: - Findings, history and counts

    func count(_ work: SimulationCounts.Work) {
        counts[work] += 1
    }

    func count(_ fault: SimulationCounts.Fault) {
        counts[fault] += 1
    }

    func addFinding(_ finding: Finding?) {
        if let finding {
            findings.append(finding)
            log("FOUND \(finding)", event: finding.event, session: finding.session)
        }
    }

    func log(
        _ text: @autoclosure () -> String, event: EventID? = nil, session: SessionID? = nil
    ) {
        history.append(now, text(), event: event, session: session)
    }

    /// Returns whether a planted bug takes effect now. Draws a random number if it is planted.
    func triggers(_ bug: PlantedBug) -> Bool {
        options.bug == bug && isFaulty && random.isLucky(bug.percent)
    }

    /// Returns a unique payload.
    func payload() -> [UInt8] {
        lastPayload += 1
        return Array(#"{"a":\#(random.below(5)),"n":\#(lastPayload)}"#.utf8)
    }
}
