// SPDX-License-Identifier: Apache-2.0

import Testing

/// Work that grows with more than one table is limited, or done in slices between which other
/// users are served.
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

    @Test func `declarations of many nodes are checked in slices, each once`() throws {
        let names = (0..<900).map { "N\($0)" }.joined(separator: ",")
        let nodeCount = 20
        var bus = try Self.bus(["bus settle=1s"])
        for first in stride(from: 0, to: nodeCount, by: 5) {
            _ = bus.run("connect w\(first) \(first + 1)")
            for node in first..<(first + 5) {
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
        #expect(first + count("advance 5s") == nodeCount * 900)
        #expect(count("advance 10s") == 0)
    }

    @Test func `an event fails once its predicates have taken too many steps`() throws {
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

    @Test func `a change of thousands of watched values reaches each node once, in slices`() throws
    {
        let nodeCount = 200
        let keys = (0..<400).map { "watch:k\($0)" }.joined(separator: " ")
        var bus = try Self.bus([
            "bus keysPerNode=400 keys=1000 declarationsPerSession=100000", "connect s 1",
            "attach s /top",
        ])
        for first in stride(from: 0, to: nodeCount, by: 50) {
            _ = bus.run("connect w\(first) \(first + 10)")
            for node in first..<(first + 50) {
                _ = bus.run("attach w\(first) /top/n\(node) \(keys)")
            }
        }
        _ = bus.run("advance 10s")
        let settings = (0..<400).map { "k\($0)=1" }.joined(separator: " ")
        func toldCount(_ line: String) -> Int {
            bus.run(line).count { $0.contains("k399") }
        }
        let first = toldCount("set s /top \(settings)")
        #expect(first > 0)
        #expect(first < nodeCount)
        #expect(first + toldCount("advance 1s") == nodeCount)
        #expect(toldCount("advance 10s") == 0)
    }

    @Test func `a node receives a change before a message that was raised after it`() throws {
        let keys = (0..<400).map { "watch:k\($0)" }.joined(separator: " ")
        var bus = try Self.bus([
            "bus keysPerNode=400 keys=1000 declarationsPerSession=100000", "connect s 1",
            "attach s /top",
        ])
        _ = bus.run("connect w 2")
        for node in 0..<200 {
            _ = bus.run("attach w /top/n\(node) \(keys) subscribe:Ping\(node)")
        }
        _ = bus.run("advance 10s")
        let settings = (0..<400).map { "k\($0)=1" }.joined(separator: " ")
        let told = bus.run("set s /top \(settings)")
        try #require(!told.contains { $0.contains("/top/n199") })
        let output = bus.run("publish s /top Ping199")
        let changes = try #require(output.firstIndex { $0.contains("w < changes /top/n199") })
        let delivery = try #require(output.firstIndex { $0.contains("w < delivery") })
        #expect(changes < delivery, "\(output)")
    }

    @Test func `the reduction of a preference of many long parts is bounded`() throws {
        var bus = try Self.bus(["bus", "connect w 1"])
        var path = ""
        for _ in 0..<60 {
            path += "/d"
            _ = bus.run("attach w \(path) watch-preference:all")
        }
        let parts = "[" + (0..<3_000).map { "\($0)" }.joined(separator: ",") + "]"
        for offer in 0..<3 {
            let output = bus.run("attach w \(path)/o\(offer) prefer:all=\(parts):append")
            try #require(output.contains { $0.contains("attached") }, "\(output)")
        }
        _ = bus.run("advance 10s")
        let output = bus.run("ask w preferences /d")
        let text = try #require(output.first { $0.contains("[0,1,2,") })
        #expect(text.contains("2998,2999,0,1,"))
        #expect(text.utf8.count < 80 << 10)
        let told = bus.run("attach w \(path)/o3 prefer:all=[7]:append")
        #expect(!told.contains { $0.contains("UNUSABLE") }, "\(told)")
    }

    @Test
    func `held events are tried in slices, and no later event of their origin overtakes them`()
        throws
    {
        var bus = try Self.bus(["bus", "connect w 1", "attach w /top/w"])
        let long = String(repeating: "x", count: 100_000)
        for number in 1...30 {
            let payload = "{\"n\":\(number),\"long\":[\"\(long)\"]}"
            let output = bus.run("trigger w /top/w Order hold=60s payload=\(payload)")
            try #require(!output.contains { $0.contains("refused") }, "\(output)")
        }
        _ = bus.run("connect h 2")
        func visits(_ line: String) -> Int {
            bus.run(line).count { $0.contains("h < visit") }
        }
        let first = visits("attach h /top handle:Order?n>0 prefetch=100")
        #expect(first > 0)
        #expect(first < 30)
        let others = bus.run("trigger w /top/w Order payload={\"n\":31}")
            .filter { $0.contains("h < visit") }
        #expect(first + others.count == 31)
        #expect(others.last?.contains("w#31") == true)
    }
}
