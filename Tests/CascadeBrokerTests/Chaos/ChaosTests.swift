// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

// Peers that attach, raise, answer, lie, die and come back at random, while time passes. Whatever
// they do: no trap; each message the broker keeps is let go of exactly once, and never overwritten
// while it may be queued; each event has one outcome as long as its origin lives, on whichever
// connection that asks for it; credit and prefetch hold; every number is defined before it is used;
// and nothing is left behind in the end.
// CASCADE_CHAOS_STEPS makes it more than usual.
@Suite struct ChaosTests {
    private static let stepsOfOneSeed = 2_500
    private static let steps =
        ProcessInfo.processInfo.environment["CASCADE_CHAOS_STEPS"].flatMap { Int($0) } ?? 60_000

    @Test("Whatever peers do, the broker keeps its promises", arguments: 0..<2)
    func promises(half: Int) throws {
        for round in 0..<max(1, Self.steps / Self.stepsOfOneSeed / 2) {
            let seed = UInt64(round * 2 + half)
            if let fault = try Self.fault(seed: seed) {
                Issue.record("seed \(seed), \(fault)")
                return
            }
        }
    }

    /// The first promise that is broken in one run.
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
