// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSimulator

@main
struct CascadeSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cascade-simulate")
    @Option var seed: UInt64 = 1
    @Option var count = 1
    @Option var ticks = SimulationOptions.defaultTicks
    @Flag var history = false
    func run() throws {
        for seed in seed..<(seed + UInt64(count)) {
            var o = SimulationOptions(seed: seed, ticks: ticks); o.keepsHistory = history
            let r = SimulationReport.of(o)
            if history { print(r.history.joined(separator: "\n")) }
            if !r.findings.isEmpty { print(r.explanation) }
        }
    }
}
