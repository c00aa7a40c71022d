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

    /// Runs a seed; one that fails is run again for its history.
    package static func of(_ options: SimulationOptions) -> SimulationReport {
        let report = Simulation(options).run()
        guard !report.findings.isEmpty, !options.keepsHistory else {
            return report
        }
        var options = options
        options.keepsHistory = true
        return Simulation(options).run()
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
