// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct RouterTests {
    // The router remembers what it found: it has to forget it in time.
    @Test("After any change of the tree the next stop is what a walk finds", arguments: 0..<8)
    func agreesWithWalk(seed: UInt64) throws {
        var random = RandomHierarchy(seed: seed)
        var router = Router()
        for _ in 0..<120 {
            try random.changeSomething()
            for node in random.nodes {
                let cursor = UInt16(random.generator.below(3))
                for name in 0...RandomHierarchy.names {
                    let expected = Self.walk(name, node, Int(cursor), random.hierarchy)
                    let found = router.nextStop(
                        for: name, at: node, from: cursor, in: random.hierarchy)
                    #expect(found == expected, "seed \(seed), name \(name) at \(node)")
                }
            }
        }
    }

    private static func walk(
        _ name: UInt32, _ node: UInt32, _ cursor: Int, _ hierarchy: Hierarchy
    ) -> Stop? {
        guard node != Header.noNode else {
            return nil
        }
        let record = hierarchy[node]
        if record.holder != nil, !record.isLeaving {
            for (place, responder) in record.responders.enumerated().dropFirst(cursor)
            where responder.name == NameTable.none || responder.name == name {
                return Stop(node: node, responder: UInt16(place), kind: responder.kind)
            }
        }
        return walk(name, record.parent, 0, hierarchy)
    }

    @Test("An itinerary is the stops one after another, as far as one session holds them")
    func itinerary() throws {
        for seed in 0..<40 {
            var random = RandomHierarchy(seed: UInt64(seed))
            for _ in 0..<30 {
                try random.changeSomething()
            }
            for node in random.nodes {
                for name in 0...RandomHierarchy.names {
                    Self.checkItinerary(name, node, random.hierarchy)
                }
            }
        }
    }

    private static func checkItinerary(_ name: UInt32, _ node: UInt32, _ hierarchy: Hierarchy) {
        var router = Router()
        guard let first = walk(name, node, 0, hierarchy) else {
            return
        }
        var expected = [first]
        while let last = expected.last, last.kind == .receive || last.kind == .observe,
            let next = walk(name, last.node, Int(last.responder) + 1, hierarchy),
            hierarchy[next.node].holder == hierarchy[first.node].holder
        {
            expected.append(next)
        }
        var stops: [Stop] = []
        router.itinerary(from: first, for: name, in: hierarchy, into: &stops)
        #expect(stops == expected)
    }
}
