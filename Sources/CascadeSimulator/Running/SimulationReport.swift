// SPDX-License-Identifier: Apache-2.0

/// What came of a run.
package struct SimulationReport: Sendable {
    package var options: SimulationOptions
    /// What the seed has determined, for people.
    package var plan: String
    package var findings: [Finding]
    package var counts: SimulationCounts
    /// The time that has passed in the simulation.
    package var nanoseconds: UInt64
    /// Everything that happened, if it was to be kept.
    package var history: [String]
    /// What happened last around the first finding, if the history was to be kept.
    package var excerpt: [String]

    /// Runs a seed; one that fails is run again for its history, as short as it still fails.
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

    /// How few ticks it takes for this oracle to find something, nearly.
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

    /// The time that has passed in the simulation, in whole seconds.
    package var seconds: UInt64 {
        nanoseconds / 1_000_000_000
    }

    /// What a person needs who looks into a run that failed.
    package var explanation: String {
        let lines =
            ["seed \(options.seed): \(plan)"] + findings.prefix(5).map { "  \($0)" }
            + ["  the last that happened around it:"] + excerpt.map { "    \($0)" }
            + ["  run it again: \(options.command)"]
        return lines.joined(separator: "\n")
    }
}
