// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator
import FoundationEssentials
import Testing

// The same seeds every time, and some that nobody has seen. CASCADE_SIMULATION_SEEDS says how many
// of those.
@Suite struct SimulationTests {
    private static let freshCount =
        ProcessInfo.processInfo.environment["CASCADE_SIMULATION_SEEDS"].flatMap { Int($0) } ?? 8

    /// Seeds that have found something once are listed for good.
    private static let knownSeeds: [UInt64] =
        Array(1...4) + [35, 51, 85, 190, 209, 254, 101_050, 102_270, 103_096, 104_229]

    @Test("The bus keeps its promises under every seed", arguments: knownSeeds)
    func promises(seed: UInt64) {
        Self.expectNothing(of: seed)
    }

    @Test("The bus keeps its promises under seeds that nobody has seen")
    func fresh() {
        for _ in 0..<Self.freshCount {
            Self.expectNothing(of: .random(in: 1_000_000...UInt64.max / 2))
        }
    }

    private static func expectNothing(of seed: UInt64) {
        let report = SimulationReport.of(SimulationOptions(seed: seed))
        #expect(report.findings.isEmpty, Comment(rawValue: report.explanation))
    }

    @Test("A seed determines everything that happens", arguments: [51, 209] as [UInt64])
    func determinism(seed: UInt64) {
        var options = SimulationOptions(seed: seed)
        options.keepsHistory = true
        let first = SimulationReport.of(options)
        #expect(first.history == SimulationReport.of(options).history)
        #expect(first.history.count > 100)
    }

    @Test("Different seeds make different buses")
    func difference() {
        #expect(
            SimulationReport.of(SimulationOptions(seed: 1)).plan
                != SimulationReport.of(SimulationOptions(seed: 2)).plan)
    }

    @Test("All kinds of faults come up, and the time that passes is not ours")
    func faults() {
        var counts = SimulationCounts()
        var nanoseconds: UInt64 = 0
        for seed in Self.knownSeeds {
            let report = SimulationReport.of(SimulationOptions(seed: seed))
            counts += report.counts
            nanoseconds += report.nanoseconds
        }
        #expect(counts.processCrashes > 0 && counts.processStops > 0)
        #expect(counts.brokenConnections > 0 && counts.refusedSends > 0)
        #expect(counts.daemonCrashes > 0 && counts.daemonStops > 0)
        #expect(counts.ended > 1000 && counts.visits > 1000)
        #expect(nanoseconds > 1_000_000_000_000)
    }
}
