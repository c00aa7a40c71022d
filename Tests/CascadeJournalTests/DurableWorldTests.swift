// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

// Origin, handler and daemon end at any moment, and with the daemon the power: what was accepted
// has one outcome, told at last to whoever stands where it was raised.
@Suite struct DurableWorldTests {
    @Test("Each accepted event has one outcome, whoever dies", arguments: 0..<300 as Range<UInt64>)
    func lives(seed: UInt64) throws {
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
        #expect(try world.leftRecords() == 0)
        #expect(world.accepted.count > 3)
    }
}
