// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator

/// What came of all runs.
struct Summary {
    private(set) var seedCount = 0
    private(set) var failedCount = 0
    private var counts = SimulationCounts()
    private var nanoseconds: UInt64 = 0

    mutating func add(_ report: SimulationReport) {
        seedCount += 1
        failedCount += report.findings.isEmpty ? 0 : 1
        counts += report.counts
        nanoseconds += report.nanoseconds
    }

    func text(elapsed: Duration) -> String {
        let simulated = Double(nanoseconds) / 1e9
        let real = elapsed / .seconds(1)
        let times = Int(simulated / max(real, 1e-9))
        return """
            \(seedCount) seeds, \(failedCount) failed
            \(counts.raised) events and publications raised, \(counts.ended) outcomes, \
            \(counts.visits) visits and deliveries, \(counts.messages) messages
            \(counts.processCrashes) process crashes, \(counts.processStops) stops, \
            \(counts.brokenConnections) broken connections, \(counts.refusedSends) refused sends, \
            \(counts.daemonCrashes) daemon crashes, \(counts.daemonStops) stops
            \(Int(simulated)) s simulated in \(Int((real * 10).rounded()) / 10) s: \
            \(times) times real time
            """
    }
}
