// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator

/// The totals of all runs.
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
        let real = max(elapsed / .seconds(1), 1e-3)
        let lines = [
            "\(seedCount) seeds in \(rounded(real)) s, \(rounded(Double(seedCount) / real)) per "
                + "second; \(Int(simulated)) s simulated, \(Int(simulated / real)) times real time",
            "work: " + list(SimulationCounts.Work.allCases) { counts[$0] },
            "faults: " + list(SimulationCounts.Fault.allCases) { counts[$0] },
            failedCount == 0
                ? "no findings" : "findings with \(failedCount) seeds",
        ]
        return lines.joined(separator: "\n")
    }

    private func list<Kind>(_ kinds: [Kind], _ count: (Kind) -> Int) -> String {
        kinds.map { "\($0) \(count($0))" }.joined(separator: ", ")
    }

    private func rounded(_ number: Double) -> Double {
        (number * 10).rounded() / 10
    }
}
