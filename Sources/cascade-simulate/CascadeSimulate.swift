// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSimulator

@main
struct CascadeSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cascade-simulate")
    @Option var seed: UInt64 = 1
    @Option var count = 1
    @Option var ticks = SimulationOptions.defaultTicks
    func run() throws {
        for seed in seed..<(seed + UInt64(count)) {
            let r = SimulationReport.of(SimulationOptions(seed: seed, ticks: ticks))
            if !r.findings.isEmpty { print(r.explanation) }
        }
    }
}
