// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct RecipientChooserTests {
    // The chooser caches its choices and must invalidate them.
    @Test(arguments: 0..<6)
    func `a cached choice equals a fresh one after any change of the tree`(seed: UInt64) throws {
        var random = RandomHierarchy(seed: seed)
        for _ in 0..<60 {
            try random.changeSomething()
            for node in random.nodes {
                let name = NameIndex(
                    1 + UInt32(random.generator.below(Int(RandomHierarchy.names))))
                let destination = random.generator.pick(PublishingDestination.allCases)
                var fresh = RecipientChooser()
                let expected = fresh.choose(
                    name, node, destination, among: random.subscribers[name], [:],
                    in: random.hierarchy)
                let found = random.subscribers.recipients(
                    of: name, from: node, to: destination, in: random.hierarchy)
                #expect(found == expected, "seed \(seed), name \(name) at \(node)")
            }
        }
    }

    @Test func `a name without a number has no recipients`() throws {
        var random = RandomHierarchy(seed: 1)
        for _ in 0..<20 {
            try random.changeSomething()
        }
        for destination in PublishingDestination.allCases {
            let found = random.subscribers.recipients(
                of: NameIndex.none, from: Hierarchy.root, to: destination,
                in: random.hierarchy)
            #expect(found.isEmpty)
        }
    }
}
