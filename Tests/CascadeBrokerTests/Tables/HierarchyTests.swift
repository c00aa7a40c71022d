// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct HierarchyTests {
    private static let now = Instant(nanoseconds: 1)

    @Test("A place is found by its path, and its path by the place", arguments: 0..<6)
    func paths(seed: UInt64) throws {
        var random = RandomHierarchy(seed: seed)
        for _ in 0..<80 {
            try random.changeSomething()
            for node in random.nodes {
                let path = random.hierarchy.path(of: node)
                #expect(random.hierarchy.find(path) == node)
                #expect(Int(random.hierarchy[node].depth) == path.depth)
            }
            #expect(random.nodes.count == random.hierarchy.count)
        }
    }

    @Test("Nodes come depth first, children in the order in which they were made")
    func order() throws {
        var hierarchy = Hierarchy()
        for path in ["/b/x", "/a", "/b/w", "/a/y"] as [NodePath] {
            _ = hierarchy.findOrMake(path, at: Self.now)
        }
        let all = hierarchy.subtree(of: Hierarchy.root, depth: .max)
        #expect(
            all.map { hierarchy.path(of: $0).description }
                == ["/", "/b", "/b/x", "/b/w", "/a", "/a/y"])
        let top = hierarchy.subtree(of: Hierarchy.root, depth: 1)
        #expect(top.map { hierarchy.path(of: $0).description } == ["/", "/b", "/a"])
    }

    @Test("Places that would have to be made are counted once each")
    func missing() throws {
        var hierarchy = Hierarchy()
        _ = hierarchy.findOrMake("/a", at: Self.now)
        #expect(hierarchy.missingCount(["/a"]) == 0)
        #expect(hierarchy.missingCount(["/a/b/c", "/a/b/d", "/e"]) == 4)
        #expect(hierarchy.count == 2)
    }

    @Test("Removing a place that nothing needs removes the ancestors that nothing else needs")
    func pruning() throws {
        var hierarchy = Hierarchy()
        let leaf = hierarchy.findOrMake("/a/b/c", at: Self.now)
        let sibling = hierarchy.findOrMake("/a/d", at: Self.now)
        hierarchy[sibling].holder = PeerID(index: 1, generation: 1)
        #expect(hierarchy.prune(leaf).count == 2)
        #expect(hierarchy.find("/a/b") == nil)
        #expect(hierarchy.find("/a/d") == sibling)
        #expect(hierarchy.prune(sibling).isEmpty)
    }
}
