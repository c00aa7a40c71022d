// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

/// Whoever takes the changes of the tree has the tree that a query shows.
@Suite struct TreeFollowingTests {
    private static let paths = ["/a", "/a/b", "/a/b/c", "/d", "/d/e", "/safe", "/safe/f"]

    /// What a follower is told of a node and must be right.
    private struct Seen: Equatable, CustomStringConvertible {
        var path: NodePath
        var description: String

        init(_ node: NodeSnapshot) {
            path = node.path
            var node = node
            node.number = nil
            node.childCount = 0
            node.ageMicroseconds = 0
            node.counters = []
            description = "\(node)"
        }
    }

    /// The tree that follows from all answers so far.
    private struct Follower {
        let name: String
        let request: UInt64
        private(set) var nodes: [UInt32: Seen] = [:]
        private(set) var wholeCount = 0

        init(name: String, request: UInt64) {
            self.name = name
            self.request = request
        }

        mutating func take(_ answer: TreeAnswer) {
            if !answer.hasOnlyChanges {
                nodes = [:]
                wholeCount += 1
            }
            for number in answer.gone {
                nodes[number] = nil
            }
            for node in answer.nodes {
                nodes[node.number ?? .max] = Seen(node)
            }
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func `the changes add up to the tree, also for one who may not see all of it`(
        _ seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var bus = ScenarioBus()
        for line in [
            #"policy one deny\sinspect\s/safe\sto\sgroup\s901 allow\sadminister\s/\sto\suser\s900"#,
            "connect admin 1 uid=900", "connect eye 2 uid=900", "connect guest 3 uid=8 groups=901",
            "watch eye changes", "watch guest changes",
        ] {
            _ = bus.run(line)
        }
        var followers = [
            Follower(name: "eye", request: 1), Follower(name: "guest", request: 1),
        ]
        var connected = 0
        for _ in 0..<80 {
            for line in Self.lines(&generator, &connected) {
                let output = bus.run(line)
                #expect(!output.contains { $0.contains("BUG") }, "\(line): \(output)")
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                _ = bus.run("advance 50ms")
            }
        }
        // Answers that wait for their readers' signs are never so long here.
        _ = bus.run("advance 10s")
        _ = bus.run("advance 10s")
        for index in followers.indices {
            let peer = bus.peers[try bus.place(named: followers[index].name)].id
            for (to, bytes) in bus.sent where to == peer {
                if let header = try? Header(parsing: bytes), header.command == .answer,
                    header.id == followers[index].request
                {
                    followers[index].take(try TreeAnswer(parsing: bytes))
                }
            }
            #expect(followers[index].wholeCount == 1)
            _ = bus.run("ask \(followers[index].name) changes")
            let last = try #require(bus.sent.last { $0.0 == peer })
            let whole = try TreeAnswer(parsing: last.1)
            var present: [UInt32: Seen] = [:]
            for node in whole.nodes {
                present[node.number ?? .max] = Seen(node)
            }
            #expect(followers[index].nodes == present, "seed \(seed), \(followers[index].name)")
        }
    }

    /// One change of the tree, which may be refused.
    private static func lines(
        _ generator: inout SeededGenerator, _ connected: inout Int
    ) -> [String] {
        let path = paths.randomElement(using: &generator) ?? "/a"
        let other = paths.randomElement(using: &generator) ?? "/a"
        let peer = "p\(Int.random(in: 0...max(0, connected - 1), using: &generator))"
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1:
            connected += 1
            let peer = "p\(connected - 1)"
            return ["connect \(peer) \(connected + 10) uid=900", "attach \(peer) \(path) handle:X"]
        case 2, 3: return ["attach \(peer) \(path) inactive subscribe:Bell triggers:X"]
        case 4: return ["attach \(peer) \(path) takeover handle:Y presented"]
        case 5: return ["leave \(peer) \(path)"]
        case 6: return ["change \(peer) \(path) handle:Z"]
        case 7: return ["activate admin \(path)"]
        case 8: return ["deactivate admin \(path)"]
        case 9: return ["move admin \(path) \(other)"]
        case 10: return ["lose \(peer)"]
        default: return [["drain", "detach"].randomElement(using: &generator)! + " admin \(path)"]
        }
    }

    @Test func `an attach among many nodes is told in less than a kilobyte, and alone`()
        throws
    {
        var byteCounts: [Int] = []
        var counts: [Int] = []
        for count in [10, 10_000] {
            var bus = ScenarioBus()
            _ = bus.run("bus nodes=20000")
            _ = bus.run("connect eye 1")
            _ = bus.run("connect shop 2")
            for first in stride(from: 0, to: count, by: 100) {
                let nodes = (first..<min(count, first + 100)).map { "/n\($0)" }
                _ = bus.run("attach shop " + nodes.joined(separator: " + "))
            }
            _ = bus.run("watch eye changes")
            // The whole tree is told in several turns, and the eye has to say that it has read it.
            for _ in 0..<40 {
                _ = bus.run("advance 50ms")
                _ = bus.run("beat eye")
            }
            let before = bus.sent.count
            _ = bus.run("connect new 3")
            _ = bus.run("attach new /new-node handle:Order subscribe:Bell")
            _ = bus.run("advance 50ms")
            let eye = bus.peers[try bus.place(named: "eye")].id
            let answers = bus.sent[before...].filter { $0.0 == eye }.map(\.1)
            #expect(answers.count == 1)
            let answer = try TreeAnswer(parsing: try #require(answers.first))
            #expect(answer.hasOnlyChanges)
            #expect(answer.nodes.map(\.path) == ["/new-node"])
            byteCounts.append(answers[0].count)
            counts.append(answer.nodes.count)
        }
        #expect(byteCounts.allSatisfy { $0 <= 1_024 }, "\(byteCounts)")
        #expect(counts == [1, 1])
    }

    @Test func `a follower of the upper levels is told how many children the last of them has`()
        throws
    {
        var bus = ScenarioBus()
        for line in [
            "connect eye 1", "connect shop 2", "attach shop /a", "watch eye changes 1",
            "advance 50ms",
        ] {
            _ = bus.run(line)
        }
        let eye = bus.peers[try bus.place(named: "eye")].id
        var told: [[String]] = []
        for line in [
            "attach shop /a/b", "attach shop /a/b/c", "attach shop /a/d + /a/e",
            "leave shop /a/b/c", "leave shop /a/d",
        ] {
            let before = bus.sent.count
            _ = bus.run(line)
            _ = bus.run("advance 50ms")
            let answers = bus.sent[before...].filter { $0.0 == eye }
            told.append(
                try answers.flatMap { try TreeAnswer(parsing: $0.1).nodes }.map {
                    "\($0.path) \($0.childCount)"
                })
        }
        #expect(told == [["/a 1"], [], ["/a 3"], [], ["/a 2"]])
    }

    @Test func `a follower of the upper levels is not told of children that it may not see`()
        throws
    {
        var bus = ScenarioBus()
        for line in [
            #"policy one deny\sinspect\s/a/safe\sto\sgroup\s901"#, "connect shop 1 uid=900",
            "connect guest 2 uid=8 groups=901", "attach shop /a", "watch guest changes 1",
            "advance 50ms",
        ] {
            _ = bus.run(line)
        }
        let guest = bus.peers[try bus.place(named: "guest")].id
        var told: [[UInt32]] = []
        for line in ["attach shop /a/safe", "attach shop /a/b", "leave shop /a/safe"] {
            let before = bus.sent.count
            _ = bus.run(line)
            _ = bus.run("advance 50ms")
            told.append(
                try bus.sent[before...].filter { $0.0 == guest }
                    .flatMap { try TreeAnswer(parsing: $0.1).nodes }.map(\.childCount))
        }
        #expect(told == [[], [1], []])
    }
}
