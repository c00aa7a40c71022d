// SPDX-License-Identifier: Apache-2.0

import Testing

/// Work that grows with more than one table is bounded, or done in slices between which others are
/// served.
@Suite struct SliceTests {
    private static func bus(_ setup: [String]) throws -> ScenarioBus {
        var bus = ScenarioBus()
        for line in setup {
            let output = bus.run(line)
            try #require(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
            try #require(!output.contains { $0.contains("refused") }, "\(line): \(output)")
        }
        return bus
    }

    @Test func `declarations of many nodes are judged in slices, each once`() throws {
        let names = (0..<900).map { "N\($0)" }.joined(separator: ",")
        let nodeCount = 200
        var bus = try Self.bus(["bus settle=1s"])
        for first in stride(from: 0, to: nodeCount, by: 50) {
            _ = bus.run("connect w\(first) \(first + 1)")
            for node in first..<(first + 50) {
                let output = bus.run("attach w\(first) /n\(node) triggers:\(names)")
                try #require(output.contains { $0.contains("attached") }, "\(output)")
            }
        }
        func count(_ line: String) -> Int {
            bus.run(line).count { $0.contains("log unhandled") }
        }
        let first = count("advance 1s")
        #expect(first > 0)
        #expect(first < nodeCount * 900)
        #expect(first + count("advance 1s") == nodeCount * 900)
        #expect(count("advance 10s") == 0)
    }

    @Test func `an event fails once predicates have taken too many steps about it`() throws {
        let glob = String(repeating: "a*", count: 60) + "b"
        let responders = (0..<40).map { "handle:Order?x~\"\(glob)\(glob)\($0)\"" }
        var bus = try Self.bus([
            "bus predicateSteps=10000", "connect h 1",
            "attach h /h \(responders.joined(separator: " "))", "connect w 2", "attach w /h/w",
        ])
        let text = String(repeating: "a", count: 300)
        let output = bus.run("trigger w /h/w Order payload={\"x\":\"\(text)\"}")
        #expect(
            output.contains { $0.contains("failed") && $0.contains("(limit predicateSteps)") },
            "\(output)")
        let short = bus.run("trigger w /h/w Order payload={\"x\":\"a\"}")
        #expect(short.contains { $0.contains("unhandled") }, "\(short)")
    }
}
