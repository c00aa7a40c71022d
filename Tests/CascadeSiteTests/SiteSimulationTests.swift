// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

@Suite struct SiteSimulationTests {
    @Test func `no message of an earlier link is taken, and a link is found again`() async throws {
        var openedCount = 0
        for seed in 0..<40 as Range<UInt64> {
            // Other tests must not wait for all of this one.
            await Task.yield()
            var simulation = try SiteSimulation(seed: seed)
            try simulation.run()
            #expect(simulation.findings.isEmpty, "seed \(seed)")
            openedCount += simulation.openedCount
        }
        #expect(openedCount > 120)
    }

    @Test func `the checks find a side that takes messages of an earlier link`() throws {
        let isFound = try (0..<40).contains { (seed: UInt64) in
            var simulation = try SiteSimulation(seed: seed, acceptsOldLinks: true)
            try simulation.run()
            return simulation.findings.contains { $0.hasPrefix("frame") }
        }
        #expect(isFound)
    }
}
