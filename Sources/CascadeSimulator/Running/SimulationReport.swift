// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The result of a run.
package struct SimulationReport: Sendable {
    package var options: SimulationOptions
    /// The description of the plan.
    package var plan: String
    package var findings: [Finding]
    package var counts: SimulationCounts
    /// The simulated time of the run, in nanoseconds.
    package var nanoseconds: UInt64
    /// The history; empty unless it was recorded.
    package var history: [String]
    /// The last lines of the history that concern the first finding; empty unless it was recorded.
    package var excerpt: [String]

    /// Runs a seed and returns its report. A failing seed is run again with its history, and with fewer
    /// ticks if it still fails.
    package static func of(_ options: SimulationOptions) -> SimulationReport {
        let report = Simulation(options).run()
        guard !report.findings.isEmpty, !options.keepsHistory else {
            return report
        }
        let first =
            report.findings.first { $0.oracle == options.bug?.oracle } ?? report.findings[0]
        var options = options
        options.ticks = shortest(options, oracle: first.oracle)
        options.keepsHistory = true
        return Simulation(options).run()
    }

    /// Returns the smallest of some numbers of ticks with which the oracle still has a finding.
    private static func shortest(_ options: SimulationOptions, oracle: String) -> Int {
        var shorter = options
        for divisor in [64, 32, 16, 8, 4, 2] {
            shorter.ticks = options.ticks / divisor
            guard shorter.ticks > 0 else {
                continue
            }
            if Simulation(shorter).run().findings.contains(where: { $0.oracle == oracle }) {
                return shorter.ticks
            }
        }
        return options.ticks
    }

    /// The simulated time of the run, in whole seconds.
    package var seconds: UInt64 {
        nanoseconds / 1_000_000_000
    }

    /// The findings, the last lines of the history, and the command that repeats the run.
    package var explanation: String {
        let lines =
            ["seed \(options.seed): \(plan)"] + findings.prefix(5).map { "  \($0)" }
            + ["  last events around the first finding:"] + excerpt.map { "    \($0)" }
            + ["  repeat with: \(options.command)"]
        return lines.joined(separator: "\n")
    }
}

/// Counts of the kinds of work and of faults in a run.
package struct SimulationCounts: Sendable {
    /// The workload, and its results.
    package enum Work: Int, CaseIterable, Sendable {
        case raised, report, request, cascade, publication, emit, held, retained, retry, cancelled,
            durable, accepted
        case sentAgain, resumed
        /// A session waits for the place of a process that has exited.
        case parked
        case changed, left, leftWhole, activated, moved, drained, detached
        case set, setFromOutside, query
        case outcome, visit, redelivery, environmentChange, limitReached, message
    }

    /// The faults.
    package enum Fault: Int, CaseIterable, Sendable {
        /// A process is killed between two messages, or between two effects of one.
        case processCrash, processCrashMidway
        case processStop
        /// A process gets the process ID of a former one.
        case reusedProcessID
        /// A child of a killed process keeps its connection open.
        case keptSocket
        case brokenConnection
        /// Sent messages are lost: the last ones, or some before the last.
        case tailLoss, middleLoss
        /// All messages of a new connection are lost without an error.
        case blackHole
        /// libzmq reconnects by itself: the rest of the conversation arrives from an unknown peer.
        case strangerConnection
        /// The daemon detects the end of a connection after the process has reconnected.
        case lateDisconnect
        /// A peer gets the number of a former one.
        case reusedPeer
        case refusedSend
        /// All messages between the daemon and a process are delayed for a time.
        case partition
        case daemonCrash, daemonCrashMidway, daemonEnd, daemonStop
        /// The journal cannot write its entries.
        case journalFault
    }

    private var work = [Int](repeating: 0, count: Work.allCases.count)
    private var faults = [Int](repeating: 0, count: Fault.allCases.count)

    package init() {}

    package subscript(work: Work) -> Int {
        get { self.work[work.rawValue] }
        set { self.work[work.rawValue] = newValue }
    }

    package subscript(fault: Fault) -> Int {
        get { faults[fault.rawValue] }
        set { faults[fault.rawValue] = newValue }
    }

    package static func += (total: inout SimulationCounts, run: SimulationCounts) {
        for kind in Work.allCases {
            total[kind] += run[kind]
        }
        for kind in Fault.allCases {
            total[kind] += run[kind]
        }
    }
}

/// A violation of a rule, found by an oracle.
package struct Finding: Sendable, CustomStringConvertible {
    /// The name of the oracle.
    package var oracle: String
    package var sentence: String
    /// The event to which it relates. It selects lines of the history.
    package var event: EventID?
    package var session: SessionID?

    package init(
        _ oracle: String, _ sentence: String, event: EventID? = nil, session: SessionID? = nil
    ) {
        self.oracle = oracle
        self.sentence = sentence
        self.event = event
        self.session = session ?? event?.session
    }

    package var description: String {
        "\(oracle): \(sentence)"
    }
}
