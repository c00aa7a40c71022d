// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator
import Testing

// Each oracle must find a bug, or its silence proves nothing.
@Suite struct PlantedBugTests {
    private static let seedsMax: UInt64 = 100

    @Test(arguments: PlantedBug.allCases)
    func `a planted bug is found by its oracle, and the report tells how to reproduce it`(
        bug: PlantedBug
    ) throws {
        let failed = (1...Self.seedsMax).lazy
            .map { SimulationReport.of(SimulationOptions(seed: $0, bug: bug)) }
            .first { bug.isShown(by: $0.findings) }
        let report = try #require(
            failed, "no seed up to \(Self.seedsMax) has \(bug.oracle ?? "an oracle") find it")
        #expect(report.explanation.hasSuffix("repeat with: \(report.options.command)"))
        #expect(report.options.command.hasSuffix(" --bug \(bug.rawValue)"))
        #expect(report.excerpt.contains { $0.contains("FOUND") })
        #expect(report.excerpt.count <= 40)
        var sound = report.options
        sound.bug = nil
        #expect(SimulationReport.of(sound).findings.isEmpty)
    }
}
