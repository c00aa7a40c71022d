// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

// Origin, handler and daemon end at any moment, the daemon with a power failure. Each accepted
// event has one outcome, which reaches the latest session of its origin.
@Suite struct DurableWorldTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `each accepted event has one outcome in any order of faults`(seed: UInt64) throws {
        var world = try DurableWorld(seed: seed)
        for _ in 0..<150 {
            try world.step()
        }
        try world.heal()
        #expect(world.problems == [])
        #expect(world.accepted.filter { world.outcomes[$0] == nil } == [])
        #expect(world.outcomes.keys.filter { !world.triggered.contains($0) } == [])
        #expect(world.refused.filter { world.outcomes[$0] != nil } == [])
        #expect(world.outcomes.values.allSatisfy { $0 == .handled })
        #expect(try world.leftEvents() == 0)
        #expect(world.triggered.count > 3)
    }
}
