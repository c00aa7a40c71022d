// SPDX-License-Identifier: Apache-2.0

import Testing

// Random trees, rules and changes. After each step what every watcher was told, change by change,
// has to be what a naive evaluation finds: so the incremental one equals it, and the history of
// changes replayed equals the final state. Each change has to begin where the one before ended, and
// to differ.
@Suite struct EnvironmentPropertyTests {
    @Test("What watchers were told is what a naive evaluation finds", arguments: 0..<8)
    func incremental(part: Int) throws {
        for round in 0..<3 {
            let seed = UInt64(part * 100 + round)
            var world = try EnvironmentWorld(seed: seed)
            for step in 0..<400 {
                try world.step()
                guard world.faults.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(world.faults[0])")
                    return
                }
            }
            #expect(world.toldCount > 100, "hardly anything happened with seed \(seed)")
        }
    }
}
