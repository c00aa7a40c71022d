// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator
import Testing

// The same seeds in every run. `deploy/test` also runs the first thousand, in a release build.
@Suite struct SimulationTests {
    /// Seeds that once found a bug, and enough others for every kind of work and fault
    /// to occur.
    private static let knownSeeds: [UInt64] =
        Array(1...16) + [46, 51, 53, 91, 307, 338, 393, 629, 769, 917, 949, 1534]
        + [20411, 22347, 27901, 35824, 37673, 47136, 49378]
        + [2_383_513_728_695_118_845]
        + [8_002_608, 8_005_090, 8_006_746, 8_006_958, 8_014_288, 8_061_767, 8_067_588]
        + [9_005_887, 9_318_124]

    @Test func `the bus keeps its promises under every seed that once found a bug`() async {
        var counts = SimulationCounts()
        var seconds: UInt64 = 0
        await withTaskGroup(of: SimulationReport.self) { group in
            for seed in Self.knownSeeds {
                group.addTask { SimulationReport.of(SimulationOptions(seed: seed)) }
            }
            for await report in group {
                #expect(report.findings.isEmpty, Comment(rawValue: report.explanation))
                counts += report.counts
                seconds += report.seconds
            }
        }
        for work in SimulationCounts.Work.allCases {
            #expect(counts[work] > 0, "never \(work)")
        }
        for fault in SimulationCounts.Fault.allCases {
            #expect(counts[fault] > 0, "no \(fault) occurred")
        }
        #expect(seconds > 1000)
    }

    @Test(arguments: [51, 209] as [UInt64])
    func `a seed determines the whole run`(seed: UInt64) {
        var options = SimulationOptions(seed: seed)
        options.keepsHistory = true
        let first = SimulationReport.of(options)
        #expect(first.history == SimulationReport.of(options).history)
        #expect(first.history.count > 100)
    }

    @Test func `different seeds give different buses`() {
        #expect(
            SimulationReport.of(SimulationOptions(seed: 1)).plan
                != SimulationReport.of(SimulationOptions(seed: 2)).plan)
    }

    @Test func `a failing run is shortened`() {
        let report = SimulationReport.of(SimulationOptions(seed: 1, bug: .keptMessage))
        #expect(!report.findings.isEmpty)
        #expect(report.options.ticks < SimulationOptions.defaultTicks)
        #expect(report.options.command.contains("--ticks \(report.options.ticks)"))
    }
}
