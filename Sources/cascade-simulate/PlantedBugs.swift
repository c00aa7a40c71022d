// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator

/// The check that every planted bug is found, seed by seed.
struct PlantedBugs {
    let firstSeed: UInt64
    /// The maximum number of seeds that are tried with each bug.
    let seedsMax: Int
    let ticks: Int

    /// Prints the finding of each bug. Returns whether each bug was found by the oracle that must find it.
    func areAllFound() async -> Bool {
        let start = ContinuousClock.now
        var foundCount = 0
        for bug in PlantedBug.allCases {
            if let report = await firstFinding(of: bug) {
                foundCount += 1
                let seeds = report.options.seed - firstSeed + 1
                print("\(bug.rawValue): \(seeds) seeds, \(finding(of: bug, in: report))")
            } else {
                let oracle = bug.oracle.map { " by '\($0)'" } ?? ""
                print("\(bug.rawValue): not found\(oracle) in \(seedsMax) seeds")
            }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        print("\(foundCount) of \(PlantedBug.allCases.count) found, in \(seconds) s")
        return foundCount == PlantedBug.allCases.count
    }

    private func finding(of bug: PlantedBug, in report: SimulationReport) -> Finding {
        report.findings.first { bug.isShown(by: [$0]) } ?? report.findings[0]
    }

    @concurrent
    private func firstFinding(of bug: PlantedBug) async -> SimulationReport? {
        for seed in firstSeed..<(firstSeed + UInt64(seedsMax)) {
            let report = SimulationReport.of(
                SimulationOptions(seed: seed, ticks: ticks, bug: bug))
            if bug.isShown(by: report.findings) {
                return report
            }
        }
        return nil
    }
}
