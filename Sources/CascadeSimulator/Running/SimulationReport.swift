// SPDX-License-Identifier: Apache-2.0

/// The result of a run.
package struct SimulationReport: Sendable {
    package var options: SimulationOptions
    /// A description of the plan for people.
    package var plan: String
    package var findings: [Finding]
    package var counts: SimulationCounts
    /// The simulated time of the run, in nanoseconds.
    package var nanoseconds: UInt64
    /// The history; empty unless it was kept.
    package var history: [String]
    /// The last lines of the history that concern the first finding; empty unless it was kept.
    package var excerpt: [String]

    /// Runs a seed. A failing seed is run again with its history, and with fewer ticks if it still
    /// fails.
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

    /// The smallest of some numbers of ticks with which the oracle still has a finding.
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

    /// The findings, the last lines around them, and the command that repeats the run.
    package var explanation: String {
        let lines =
            ["seed \(options.seed): \(plan)"] + findings.prefix(5).map { "  \($0)" }
            + ["  last events around the first finding:"] + excerpt.map { "    \($0)" }
            + ["  repeat with: \(options.command)"]
        return lines.joined(separator: "\n")
    }
}
