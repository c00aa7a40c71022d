// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct RouterTests {
    // The router caches its results and must invalidate them.
    @Test(arguments: 0..<8)
    func `the next stop is that of a full walk after any change of the tree`(seed: UInt64) throws {
        var random = RandomHierarchy(seed: seed)
        var router = Router()
        for _ in 0..<120 {
            try random.changeSomething()
            for node in random.nodes {
                let cursor = UInt16(random.generator.below(3))
                for name in (0...RandomHierarchy.names).map({ NameIndex($0) }) {
                    let lane = Lane.allCases[random.generator.below(Lane.allCases.count)]
                    let expected = Self.walk(name, lane, node, Int(cursor), random.hierarchy)
                    let found = router.nextStop(
                        for: name, lane, at: node, from: cursor, in: random.hierarchy)
                    #expect(found == expected, "seed \(seed), name \(name) at \(node)")
                }
            }
        }
    }

    private static func walk(
        _ name: NameIndex, _ lane: Lane, _ node: NodeIndex, _ cursor: Int,
        _ hierarchy: borrowing Hierarchy
    ) -> Stop? {
        guard node != NodeIndex.none else {
            return nil
        }
        let record = hierarchy[node]
        if record.holder != nil, !record.isLeaving {
            for (place, responder) in record.responders.enumerated().dropFirst(cursor)
            where responder.kind.sees(lane)
                && (responder.name == NameIndex.none || responder.name == name)
            {
                return Stop(node: node, responder: UInt16(place), kind: responder.kind)
            }
        }
        return walk(name, lane, hierarchy.parent(of: node), 0, hierarchy)
    }
}
