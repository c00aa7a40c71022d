// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import FoundationEssentials
import Testing

// Random trees with random nodes, responders and subscribers, changed at random while messages of
// all lanes and publications pass through them one at a time, and while sessions are lost or stop
// answering. The order of visits, the order of recipients and the outcomes must be those of the
// reference model. CASCADE_CASES sets the number of cases.
@Suite struct ReferenceModelTests {
    private static let casesOfOneWorld = 50
    private static let cases =
        ProcessInfo.processInfo.environment["CASCADE_CASES"].flatMap { Int($0) } ?? 100_000

    @Test(arguments: 0..<2)
    func `the broker agrees with the reference model`(half: Int) async {
        for world in 0..<(Self.cases / Self.casesOfOneWorld / 2) {
            // Other tests must not wait for all of this one.
            await Task.yield()
            let seed = UInt64(world * 2 + half)
            if let difference = Self.difference(seed: seed) {
                Issue.record("seed \(seed), \(difference)")
                return
            }
        }
    }

    /// The first difference between the broker and the model in one random world.
    private static func difference(seed: UInt64) -> String? {
        var world = ModelWorld(seed: seed)
        world.populate()
        for number in 0..<casesOfOneWorld {
            if world.generator.isLucky(40) {
                world.changeSomething()
            }
            if let difference = world.compareSomething() {
                return "case \(number): \(difference)"
            }
        }
        return nil
    }
}
