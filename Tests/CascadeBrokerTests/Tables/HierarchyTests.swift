// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct HierarchyTests {
    private static let now = Instant(nanoseconds: 1)

    @Test(arguments: 0..<6)
    func `a place is found by its path and has that path`(seed: UInt64) throws {
        var random = RandomHierarchy(seed: seed)
        for _ in 0..<80 {
            try random.changeSomething()
            for node in random.nodes {
                let path = random.hierarchy.path(of: node)
                #expect(random.hierarchy.find(path) == node)
                #expect(Int(random.hierarchy[node].links.depth) == path.depth)
            }
            #expect(random.nodes.count == random.hierarchy.count)
        }
    }

    @Test func `a subtree is listed depth first, with children in order of creation`() throws {
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

    @Test func `each missing place of several paths is counted once`() throws {
        var hierarchy = Hierarchy()
        _ = hierarchy.findOrMake("/a", at: Self.now)
        #expect(hierarchy.missingCount(["/a"]) == 0)
        #expect(hierarchy.missingCount(["/a/b/c", "/a/b/d", "/e"]) == 4)
        #expect(hierarchy.count == 2)
    }

    @Test func `pruning a place removes ancestors that have no other use`() throws {
        var hierarchy = Hierarchy()
        let leaf = hierarchy.findOrMake("/a/b/c", at: Self.now)
        let sibling = hierarchy.findOrMake("/a/d", at: Self.now)
        hierarchy[sibling].hold(
            by: PeerID(index: 1, generation: 1), of: AccountTable.own, at: Self.now)
        #expect(hierarchy.prune(leaf).count == 2)
        #expect(hierarchy.find("/a/b") == nil)
        #expect(hierarchy.find("/a/d") == sibling)
        let removed = hierarchy.prune(sibling)
        #expect(removed.isEmpty)
    }

    // The model has only paths, whose prefixes a move rewrites.
    @Test(arguments: 0..<8)
    func `after any moves each place has the path that the model predicts`(seed: UInt64) throws {
        var random = RandomHierarchy(seed: seed)
        for _ in 0..<60 {
            try random.changeSomething()
        }
        var model: [NodeIndex: NodePath] = [:]
        for node in random.nodes {
            model[node] = random.hierarchy.path(of: node)
        }
        var count = 0
        for _ in 0..<200 {
            let node = random.generator.pick(random.nodes)
            let parent = random.generator.pick(random.nodes)
            guard random.move(node, under: parent), let former = model[node],
                let destination = model[parent]
            else {
                continue
            }
            count += 1
            for (place, path) in model where former.contains(path) {
                let rest = path.components.dropFirst(former.depth - 1)
                model[place] = NodePath(
                    joining: (destination.components + rest).map(String.init))
            }
            Self.expect(random, toBe: model, seed)
        }
        #expect(count > 20)
    }

    private static func expect(
        _ random: borrowing RandomHierarchy, toBe model: [NodeIndex: NodePath], _ seed: UInt64
    ) {
        #expect(random.nodes.count == model.count)
        for (node, path) in model {
            #expect(random.hierarchy.path(of: node) == path, "seed \(seed)")
            #expect(random.hierarchy.find(path) == node, "seed \(seed)")
            #expect(Int(random.hierarchy[node].links.depth) == path.depth, "seed \(seed)")
            let children = Set(model.filter { $0.value.parent == path }.keys)
            #expect(Set(random.hierarchy.children(of: node)) == children, "seed \(seed)")
            #expect(Int(random.hierarchy[node].links.childCount) == children.count, "seed \(seed)")
        }
    }

    @Test func `a moved place becomes the last of its new siblings and keeps its subtree`() throws {
        var hierarchy = Hierarchy()
        for path in ["/a/x/deep", "/b/y", "/c"] as [NodePath] {
            _ = hierarchy.findOrMake(path, at: Self.now)
        }
        let version = hierarchy.version
        let moved = hierarchy.find("/a/x")
        let parent = hierarchy.find("/b")
        hierarchy.move(try #require(moved), under: try #require(parent))
        #expect(hierarchy.version > version)
        let all = hierarchy.subtree(of: Hierarchy.root, depth: .max)
        #expect(
            all.map { hierarchy.path(of: $0).description }
                == ["/", "/a", "/b", "/b/y", "/b/x", "/b/x/deep", "/c"])
    }

    // A tree of a million nodes must fit in memory: rarely used properties are stored beside it.
    @Test func `the record of a node takes at most 216 bytes`() {
        #expect(MemoryLayout<NodeRecord>.stride <= 216)
    }
}
