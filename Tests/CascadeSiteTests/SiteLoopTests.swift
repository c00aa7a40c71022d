// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeSite
import CascadeWire
import Testing

// Three sites, each configured to stand below the one before it: at least one refuses, and names the path.
@Suite struct SiteLoopTests {
    private static func loop() -> OracleWorld {
        let nodes = ["/n", "/a/n", "/a/b/n"].map { (path: NodePath) in
            OracleTree.Node(
                path: path, responders: [ResponderDeclaration(.receive, "Jam")],
                subscriptions: ["Bell"])
        }
        let tree = OracleTree(
            nodes,
            [
                OracleTree.Site(name: "ulm", mount: "/a", parent: 0),
                OracleTree.Site(name: "bonn", mount: "/a/b", parent: 1),
            ])
        let world = OracleWorld(tree, isCut: true, loop: (parent: 2, mount: "/c"))
        world.pass(.seconds(5))
        return world
    }

    private static func refusals(_ world: OracleWorld) -> [String] {
        world.bridges.compactMap { bridge in
            if case .refused(let reason) = bridge.state { reason } else { nil }
        }
    }

    @Test func `a site that would stand below itself refuses, and names the path`() {
        let world = Self.loop()
        let refusals = Self.refusals(world)
        #expect(!refusals.isEmpty)
        for refusal in refusals {
            #expect(refusal.hasPrefix("the site would stand below itself: "))
            #expect(refusal.contains("ulm"))
        }
        #expect(world.faults == [])
    }

    @Test func `nothing circulates while sites stand in a loop, or try to`() {
        let world = Self.loop()
        for _ in 0..<40 {
            for index in world.workers.indices {
                let end = world.raise(
                    Raising(name: "Jam", payload: []), .event, at: index, .includingSelf)
                #expect(end.code == .unhandled || end.code == .handled)
                #expect(end.visits.count <= 3)
                let published = world.publish(
                    Raising(name: "Bell", payload: []), to: .all, at: index)
                #expect(published.deliveries.count <= 3)
            }
            world.pass(.seconds(1))
        }
        #expect(!Self.refusals(world).isEmpty)
        #expect(world.faults == [])
    }
}
