// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

// Peers attach, raise, answer, send forged messages, exit and return at random while time passes.
// Invariants: no trap; each message the broker holds is released exactly once and not overwritten
// while it may be queued; each event has one outcome as long as its session lives, whichever
// connection asks for it; credit and prefetch hold; every number is defined before it is used;
// and nothing remains at the end.
// CASCADE_CHAOS_STEPS sets the number of steps, and CASCADE_CHAOS_SEED the first seed.
@Suite struct ChaosTests {
    private static let stepsOfOneSeed = 2_500
    private static let steps =
        ProcessInfo.processInfo.environment["CASCADE_CHAOS_STEPS"].flatMap { Int($0) } ?? 120_000

    private static let firstSeed =
        ProcessInfo.processInfo.environment["CASCADE_CHAOS_SEED"].flatMap { UInt64($0) } ?? 0

    @Test(arguments: 0..<2)
    func `the broker keeps its invariants under random and hostile peers`(
        half: Int
    ) async throws {
        for round in 0..<max(1, Self.steps / Self.stepsOfOneSeed / 2) {
            // Other tests must not wait for all of this one.
            await Task.yield()
            let seed = Self.firstSeed + UInt64(round * 2 + half)
            if let fault = try Self.fault(seed: seed) {
                Issue.record("seed \(seed), \(fault)")
                return
            }
        }
    }

    /// The first invariant violated in one run.
    private static func fault(seed: UInt64) throws -> String? {
        var bus = ChaosBus(seed: seed)
        for number in 0..<stepsOfOneSeed {
            try bus.step()
            if !bus.faults.isEmpty {
                return "step \(number): \(bus.faults.joined(separator: "; "))"
            }
        }
        bus.settle()
        return bus.faults.isEmpty ? nil : "at the end: \(bus.faults.joined(separator: "; "))"
    }
}
