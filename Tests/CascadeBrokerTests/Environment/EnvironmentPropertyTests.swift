// SPDX-License-Identifier: Apache-2.0

import Testing

// Random trees, rules and changes. After each step, the changes reported to each watcher must add
// up to the result of a naive evaluation: the incremental evaluation equals the naive one, and the
// replayed history of changes equals the final state. Each change must begin with the value
// of the change before it, and must differ from it.
@Suite struct EnvironmentPropertyTests {
    @Test(arguments: 0..<8)
    func `reported changes add up to a naive evaluation of the environment`(
        part: Int
    ) async throws {
        for round in 0..<3 {
            // Other tests must not wait for all of this one.
            await Task.yield()
            let seed = UInt64(part * 100 + round)
            var world = try EnvironmentWorld(seed: seed)
            for step in 0..<400 {
                try world.step()
                guard world.faults.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(world.faults[0])")
                    return
                }
            }
            #expect(world.toldCount > 100, "too few changes with seed \(seed)")
        }
    }
}
