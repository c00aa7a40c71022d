// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

// Two sessions trigger durable, plain and unacknowledged events, which one node handles one by one.
// The events of each session arrive in the order in which they were triggered, however the journal
// groups its writes, and none is lost.
@Suite struct DurableOrderTests {
    @Test(arguments: [0, 40, 90], 0..<40 as Range<UInt64>)
    func `the events of each session arrive in order, durable or not`(
        plainPercent: Int, seed: UInt64
    ) throws {
        var world = try DurableWorld(seed: seed, hasSecondOrigin: true)
        for _ in 0..<400 {
            world.stepWithoutFault(plainPercent: plainPercent)
        }
        world.workOff()
        #expect(world.problems == [])
        #expect(Set(world.arrivals) == world.triggered)
        for session in Set(world.arrivals.map(\.session)) {
            let sequences = world.arrivals.filter { $0.session == session }.map(\.sequence)
            #expect(sequences == sequences.sorted())
            #expect(sequences.count > 20)
        }
    }
}
