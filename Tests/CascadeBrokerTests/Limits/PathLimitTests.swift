// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

/// Long and deep paths: they are refused before a place is made, or charged to their user.
@Suite struct PathLimitTests {
    private static func bus(_ options: String) -> ScenarioBus {
        var bus = ScenarioBus()
        for line in ["bus \(options)", "connect a 1 uid=7", "connect b 2 uid=8"] {
            _ = bus.run(line)
        }
        return bus
    }

    /// A path of `count` components, each different for another `name`.
    private static func path(_ name: String, _ count: Int) -> String {
        (0..<count).map { "/\(name)\($0)" }.joined()
    }

    private static func placeCount(_ bus: ScenarioBus) throws -> Int {
        try #require(bus.box).broker.hierarchy.count
    }

    @Test func `an attach, a move and a value from outside refuse a path that is too long`() throws
    {
        var bus = Self.bus("pathBytes=40")
        let fitting = "/a" + String(repeating: "b", count: 38)
        #expect(bus.run("attach a \(fitting)").contains("a < attached \(fitting)"))
        let count = try Self.placeCount(bus)
        for line in ["attach a \(fitting)b", "attach a /c + \(fitting)/b", "set a \(fitting)b k=1"]
        {
            let output = bus.run(line)
            #expect(output.contains { $0.contains("badPath") }, "\(output)")
            #expect(output.contains { $0.contains("more than 40 (limit pathBytes)") }, "\(output)")
        }
        #expect(try Self.placeCount(bus) == count)
        _ = bus.run("attach a /m + /m/n + /to")
        #expect(bus.run("move a /m /to").contains { $0.contains("done") })
        _ = bus.run("attach a /to/m/n/\(String(repeating: "o", count: 31))")
        let output = bus.run("move a /to/m \(fitting)")
        #expect(output.contains { $0.contains("more than 40 (limit pathBytes)") }, "\(output)")
        #expect(bus.run("move a /to/m/n /to").contains { $0.contains("done") })
    }

    @Test func `many paths of the greatest length are refused, and no place is made`() throws {
        var bus = Self.bus("")
        let base = String(repeating: "/" + String(repeating: "x", count: 126), count: 500)
        let nodes = (0..<200).map { "\(base)/n\($0)" }.joined(separator: " + ")
        let output = bus.run("attach a \(nodes)")
        #expect(output.contains { $0.contains("(limit pathBytes)") }, "\(output)")
        #expect(try Self.placeCount(bus) == 1)
    }

    @Test func `a chain of nodes takes fewer steps of an attach than paths without a common part`()
        throws
    {
        var bus = Self.bus("nodesPerSession=4 depth=64 pathBytes=1000")
        let chain = [16, 32, 48, 64].map { Self.path("c", $0) }.joined(separator: " + ")
        #expect(bus.run("attach a \(chain)").contains { $0.contains("a < attached") })
        _ = bus.run("leave a")
        _ = bus.run("advance 60s")
        let count = try Self.placeCount(bus)
        // 3 × 43 are 129 steps: one more than 32 for each of 4 nodes.
        let apart = ["x", "y", "z"].map { Self.path($0, 43) }.joined(separator: " + ")
        let output = bus.run("attach b \(apart)")
        #expect(output.contains { $0.contains("more than 128 components") }, "\(output)")
        #expect(try Self.placeCount(bus) == count)
        let fewer = ["x", "y"].map { Self.path($0, 43) }.joined(separator: " + ")
        #expect(bus.run("attach b \(fewer)").contains { $0.contains("b < attached") })
    }

    @Test func `vacant places count against the bytes of the user whose node needs them`() throws {
        var bus = Self.bus("bytesPerUser=20000")
        let deep = bus.run("attach a \(Self.path("v", 20))")
        #expect(deep.contains { $0.contains("a < attached") }, "\(deep)")
        let more = bus.run("attach a \(Self.path("w", 20))")
        #expect(more.contains { $0.contains("(limit bytesPerUser)") }, "\(more)")
        #expect(bus.run("attach b \(Self.path("w", 20))").contains { $0.contains("b < attached") })
        _ = bus.run("leave a \(Self.path("v", 20))")
        let again = bus.run("attach a \(Self.path("z", 20))")
        #expect(again.contains { $0.contains("a < attached") }, "\(again)")
    }

    @Test func `the bytes charged for a place are at least its memory`() {
        // A place is a record and an entry of a dictionary, with a component of up to 128 bytes; a
        // dictionary has up to twice as many slots as entries.
        let entry = MemoryLayout<Hierarchy.Child>.stride + MemoryLayout<NodeIndex>.stride
        let usual = MemoryLayout<NodeRecord>.stride + 2 * entry
        #expect(usual + 32 <= NodeRecord.placeByteCount)
    }

    @Test func `a walk along random paths finds the same places as single lookups`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var walked = Hierarchy()
            var single = Hierarchy()
            var walk = PathWalk(from: Hierarchy.root)
            var paths: [NodePath] = []
            for _ in 0..<12 {
                let depth = Int.random(in: 0...5, using: &generator)
                let components = (0..<depth).map { _ in
                    ["a", "ab", "a-b", "b"].randomElement(using: &generator) ?? "a"
                }
                let path = NodePath(joining: components)
                paths.append(path)
                let missing = walked.missingCount([path])
                let before = walked.count
                let place = walked.findOrMake(
                    path, at: Instant(nanoseconds: 0), along: &walk)
                #expect(walked.count == before + missing)
                #expect(walked.path(of: place) == path)
                #expect(walked.find(path) == place)
                _ = single.findOrMake(path, at: Instant(nanoseconds: 0))
            }
            #expect(walked.count == single.count, "\(paths)")
            #expect(walked.survey(paths)?.missingCount == 0)
            #expect(walked.survey(paths)?.places == paths.map { walked.find($0) })
        }
    }
}
