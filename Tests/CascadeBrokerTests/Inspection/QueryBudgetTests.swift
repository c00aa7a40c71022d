// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeWire
import Testing

/// Queries take a limited share of the broker's time.
@Suite struct QueryBudgetTests {
    /// A bus with `count` nodes below `/tree`.
    private static func bus(nodes count: Int, _ options: String = "") throws -> ScenarioBus {
        var bus = ScenarioBus()
        var setup = ["bus \(options)", "connect anna 1 uid=7", "connect bert 2 uid=8"]
        for first in stride(from: 0, to: count, by: 1_000) {
            setup.append("connect w\(first) \(first + 10) uid=6")
            for node in first..<min(count, first + 1_000) {
                setup.append("attach w\(first) /tree/n\(node)")
            }
        }
        for line in setup {
            let output = bus.run(line)
            try #require(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
        }
        return bus
    }

    private static func answers(_ name: String, _ bus: ScenarioBus, from first: Int) throws -> Int {
        let id = bus.peers[try bus.place(named: name)].id
        return bus.sent[first...].count { sent in
            sent.peer == id && (try? Header(parsing: sent.bytes))?.command == .answer
        }
    }

    @Test func `a large tree is answered over several turns, between which others are served`()
        throws
    {
        var bus = try Self.bus(nodes: 5_000)
        let count = bus.sent.count
        _ = bus.run("ask anna tree")
        #expect(try Self.answers("anna", bus, from: count) == 0)
        _ = bus.run("ask bert status")
        #expect(try Self.answers("bert", bus, from: count) == 1)
        _ = bus.run("advance 5s")
        let anna = bus.peers[try bus.place(named: "anna")].id
        let last = try #require(bus.sent.last { $0.peer == anna })
        #expect(try TreeAnswer(parsing: last.bytes).nodes.count == 5_002)
    }

    @Test func `the children that a follower may see are counted over several turns`() throws {
        var bus = try Self.bus(nodes: 5_000)
        // More than ten steps for each child.
        let hidden = ["/tree/n7"] + (1...9).map { "/hidden\($0)" }
        let rules =
            ["allow\\sall\\s/\\sto\\severyone"]
            + hidden.map { "deny\\sinspect\\s\($0)\\sto\\suser\\s7" }
        for line in ["policy one \(rules.joined(separator: " "))", "watch anna changes 1"] {
            let output = bus.run(line)
            try #require(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
        }
        #expect(try Self.answers("anna", bus, from: 0) == 0)
        _ = bus.run("advance 5s")
        #expect(try Self.childCount(of: "/tree", told: "anna", bus) == 4_999)

        let count = bus.sent.count
        _ = bus.run("leave w4000 /tree/n4999")
        _ = bus.run("advance 6ms")
        #expect(try Self.answers("anna", bus, from: count) == 0)
        _ = bus.run("ask bert status")
        #expect(try Self.answers("bert", bus, from: count) == 1)
        // The child at which counting has stopped leaves.
        for node in 200..<1_000 {
            let output = bus.run("leave w0 /tree/n\(node)")
            #expect(output.contains { $0.contains("done") }, "\(output)")
        }
        #expect(try Self.answers("anna", bus, from: count) == 0)
        _ = bus.run("advance 5s")
        #expect(try Self.childCount(of: "/tree", told: "anna", bus) == 4_998 - 800)
    }

    /// The number of children that the last answer about a place tells.
    private static func childCount(
        of path: NodePath, told name: String, _ bus: ScenarioBus
    ) throws -> UInt32? {
        let id = bus.peers[try bus.place(named: name)].id
        return bus.sent.reversed().lazy.filter { $0.peer == id }
            .compactMap { try? TreeAnswer(parsing: $0.bytes) }
            .compactMap { $0.nodes.first { $0.path == path }?.childCount }.first
    }

    @Test func `a check of a large tree takes several turns and orders its findings`() throws {
        var bus = try Self.bus(nodes: 5_000, "querySteps=100000")
        let lines = [
            "connect h 9 uid=7",
            "attach h /tree/h handle:* handle:Never handleError:* handleError:No",
            "attach h /tree/n4999/z triggers:Missing + /tree/n1/z triggers:Missing",
        ]
        for line in lines {
            let output = bus.run(line)
            try #require(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
        }
        let count = bus.sent.count
        _ = bus.run("ask anna check")
        #expect(try Self.answers("anna", bus, from: count) == 0)
        _ = bus.run("advance 5s")
        #expect(try Self.answers("anna", bus, from: count) == 1)
        let anna = bus.peers[try bus.place(named: "anna")].id
        let last = try #require(bus.sent.last { $0.peer == anna })
        let document = try DocumentAnswer(parsing: last.bytes).document
        let marks = [
            "/tree/n1/z", "/tree/n4999/z", "responder 1 (handle)", "responder 3 (handleError)",
        ]
        let places = marks.compactMap { document.ranges(of: $0).first?.lowerBound }
        #expect(places.count == marks.count && places == places.sorted(), "\(document)")
    }

    @Test func `a check is answered although nodes leave meanwhile`() throws {
        var bus = try Self.bus(nodes: 5_000, "querySteps=100000")
        for line in [
            "connect h 9 uid=7", "attach h /tree/n1/z triggers:Missing",
            "attach h /tree/n4998/z triggers:Missing", "attach h /tree/n4999/z triggers:Missing",
        ] {
            _ = bus.run(line)
        }
        let count = bus.sent.count
        _ = bus.run("ask anna check")
        #expect(try Self.answers("anna", bus, from: count) == 0)
        // Their places are removed at once, while the check is under way.
        for line in ["leave h /tree/n1/z", "leave h /tree/n4999/z", "leave w4000 /tree/n4999"] {
            let output = bus.run(line)
            #expect(output.contains { $0.contains("done") }, "\(output)")
        }
        #expect(try Self.answers("anna", bus, from: count) == 0)
        _ = bus.run("advance 5s")
        #expect(try Self.answers("anna", bus, from: count) == 1)
        let anna = bus.peers[try bus.place(named: "anna")].id
        let last = try #require(bus.sent.last { $0.peer == anna })
        let document = try DocumentAnswer(parsing: last.bytes).document
        #expect(document.contains("/tree/n4998/z"), "\(document)")
    }

    @Test func `a tree is answered although nodes leave before their turn`() throws {
        var bus = try Self.bus(nodes: 5_000)
        _ = bus.run("ask anna tree")
        _ = bus.run("lose w4000")
        _ = bus.run("advance 20s")
        let anna = bus.peers[try bus.place(named: "anna")].id
        let last = try #require(bus.sent.last { $0.peer == anna })
        let nodes = try TreeAnswer(parsing: last.bytes).nodes
        #expect((4_002...5_002).contains(nodes.count))
    }

    @Test func `a user with many queries waits, and other users do not`() throws {
        var bus = try Self.bus(nodes: 2_500, "queriesPerUser=30")
        let count = bus.sent.count
        for _ in 1...60 {
            _ = bus.run("ask anna check")
        }
        let atOnce = try Self.answers("anna", bus, from: count)
        #expect(atOnce >= 1 && atOnce < 30)
        #expect(bus.output.contains { $0.contains("(limit queriesPerUser)") })
        _ = bus.run("ask bert check")
        #expect(try Self.answers("bert", bus, from: count) == 1)
        _ = bus.run("advance 1s")
        let later = try Self.answers("anna", bus, from: count)
        #expect(later > atOnce && later < atOnce + 30)
        _ = bus.run("advance 60s")
        #expect(try Self.answers("anna", bus, from: count) == atOnce + 30)
    }

    /// The last answer to a query for undelivered messages.
    private static func undelivered(_ name: String, _ bus: ScenarioBus) throws -> String? {
        let id = bus.peers[try bus.place(named: name)].id
        return bus.sent.reversed().lazy.filter { $0.peer == id }
            .compactMap { try? DocumentAnswer(parsing: $0.bytes).document }
            .first { $0.contains("cascade/v1/undelivered") }
    }

    @Test func `a held event is shown with its own payload although the answer had to wait`() throws
    {
        var bus = try Self.bus(nodes: 2_500)
        _ = bus.run("connect shop 5 uid=8")
        _ = bus.run("attach shop /shop/till")
        _ = bus.run(#"trigger shop /shop/till First hold=60s payload={"first":1}"#)
        for _ in 1...40 {
            _ = bus.run("ask anna check")
        }
        bus.ask(.undelivered, isRepeating: false, as: try bus.place(named: "anna"))
        #expect(try Self.undelivered("anna", bus) == nil)
        // The second event takes the number of the first in the broker's table.
        _ = bus.run("connect late 6 uid=8")
        let output = bus.run("attach late /shop handle:First")
        #expect(output.contains { $0.contains("First of shop#1") }, "\(output)")
        _ = bus.run("verdict late handled")
        _ = bus.run(#"trigger shop /shop/till Second hold=60s payload={"second":2}"#)
        _ = bus.run("advance 30s")
        let document = try #require(try Self.undelivered("anna", bus))
        #expect(document.contains(#""second":2"#), "\(document)")
        #expect(!document.contains(#""first":1"#), "\(document)")
    }

    @Test func `64 long payloads among 964 undelivered events are all shown`() throws {
        var bus = try Self.bus(nodes: 1)
        _ = bus.run("attach bert /shop")
        for _ in 1...900 {
            _ = bus.run("trigger bert /shop Lost")
        }
        let payload = String(repeating: "x", count: 65_000)
        for _ in 1...64 {
            _ = bus.run("trigger bert /shop Held hold=300s payload=\(payload)")
        }
        bus.ask(.undelivered, isRepeating: false, as: try bus.place(named: "anna"))
        _ = bus.run("advance 60s")
        let document = try #require(try Self.undelivered("anna", bus))
        #expect(document.utf8.count > 64 * payload.utf8.count)
    }

    @Test(arguments: ["", " hold=300s"])
    func `a payload of 1 MiB is shown of an event that is asked for alone`(_ hold: String) throws {
        for (byteCount, isListed, isShown) in [
            (65_536, true, true), (65_537, false, true), (1 << 20, false, true),
            ((1 << 20) + 1, false, false),
        ] {
            var bus = try Self.bus(nodes: 1)
            _ = bus.run("attach bert /shop")
            let payload = String(repeating: "x", count: byteCount)
            _ = bus.run("trigger bert /shop Lost\(hold) payload=\(payload)")
            let leftOut = "\"leftOutBytes\":\(byteCount)"
            let anna = try bus.place(named: "anna")
            bus.ask(.undelivered, isRepeating: false, as: anna)
            _ = bus.run("advance 10s")
            let all = try #require(try Self.undelivered("anna", bus))
            #expect((all.utf8.count > byteCount) == isListed, "\(byteCount)")
            #expect(all.contains(leftOut) == !isListed, "\(byteCount)")
            bus.ask(.undeliveredEvent(try bus.eventID("bert#1")), isRepeating: false, as: anna)
            _ = bus.run("advance 10s")
            let alone = try #require(try Self.undelivered("anna", bus))
            #expect((alone.utf8.count > byteCount) == isShown, "\(byteCount)")
            #expect(alone.contains(leftOut) == !isShown, "\(byteCount)")
        }
    }

    @Test func `an event that is not kept is asked for in vain`() throws {
        var bus = try Self.bus(nodes: 1)
        _ = bus.run("attach bert /shop")
        _ = bus.run("trigger bert /shop Lost")
        bus.ask(
            .undeliveredEvent(try bus.eventID("bert#2")), isRepeating: false,
            as: try bus.place(named: "anna"))
        #expect(try Self.undelivered("anna", bus)?.contains(#""undelivered":[]"#) == true)
    }

    @Test func `an explanation is charged for each key that its rules read`() throws {
        var bus = try Self.bus(nodes: 1, "querySteps=2000")
        let names = (0..<400).map { "k\($0)" }.joined(separator: "||")
        _ = bus.run("load shop.rules \(names)\\s=>\\scolour\\s<=\\s1 k1\\s=>\\sshade\\s<=\\s2")
        let long = bus.run("ask anna explain colour /tree/n0")
        #expect(long.contains { $0.contains("(limit querySteps, 2000)") }, "\(long)")
        let short = bus.run("ask anna explain shade /tree/n0")
        #expect(short.contains { $0.contains("k1 has no value") }, "\(short)")
    }

    @Test func `an answer that needs too many steps is refused with the limit's name`() throws {
        var bus = try Self.bus(nodes: 300, "querySteps=1000")
        #expect(bus.run("ask anna tree").contains { $0.contains("(limit querySteps, 1000)") })
        #expect(bus.run("ask anna tree /tree/n7").contains { $0.contains("/tree/n7 live") })
    }

    @Test(arguments: ["querySteps=0", "querySteps=1"])
    func `a limit of 0 or 1 step refuses queries, but not commands`(_ option: String) throws {
        var bus = try Self.bus(nodes: 10, option)
        #expect(bus.run("ask anna tree").contains { $0.contains("(limit querySteps") })
        #expect(bus.run("attach anna /a").contains { $0.contains("attached /a") })
    }

    @Test func `without a queue, small queries are answered and large ones refused`() throws {
        var bus = try Self.bus(nodes: 3_000, "queriesPerUser=0")
        #expect(bus.run("ask anna tree /tree/n1").contains { $0.contains("/tree/n1 live") })
        #expect(bus.run("ask anna tree").contains { $0.contains("(limit queriesPerUser)") })
    }

    @Test func `a repeating query is answered again only after its last answer was read`() throws {
        var bus = try Self.bus(nodes: 300)
        let count = bus.sent.count
        _ = bus.run("watch anna tree")
        #expect(try Self.answers("anna", bus, from: count) == 1)
        _ = bus.run("attach bert /b")
        _ = bus.run("advance 10s")
        #expect(try Self.answers("anna", bus, from: count) == 1)
        _ = bus.run("beat anna")
        _ = bus.run("advance 1s")
        #expect(try Self.answers("anna", bus, from: count) == 2)
        _ = bus.run("beat anna")
        _ = bus.run("advance 10s")
        #expect(try Self.answers("anna", bus, from: count) == 2)
    }

    @Test func `expensive answers are repeated less often than the changes`() throws {
        var bus = try Self.bus(nodes: 3_000)
        let count = bus.sent.count
        _ = bus.run("watch anna env-tree colour /tree")
        _ = bus.run("set bert / colour=1")
        for round in 1...400 {
            _ = bus.run("set bert / colour=\(round)")
            _ = bus.run("advance 50ms")
            _ = bus.run("beat anna")
        }
        let answers = try Self.answers("anna", bus, from: count)
        #expect(answers > 20 && answers < 250)
    }

    @Test func `a difference of rules takes several turns and covers the nodes at its start`()
        throws
    {
        var bus = try Self.bus(nodes: 1_000)
        _ = bus.run("load a.rules a<=1")
        let rules = (0..<60).map { "k\($0) <= node.name\n" }.joined()
        let count = bus.sent.count
        bus.ask(
            .rulesDifference(file: "a.rules", text: rules), isRepeating: false,
            as: try bus.place(named: "anna"))
        #expect(try Self.answers("anna", bus, from: count) == 0)
        _ = bus.run("set bert / fresh=1")
        _ = bus.run("attach bert /zz watch:other")
        _ = bus.run("advance 60s")
        let anna = bus.peers[try bus.place(named: "anna")].id
        let last = try #require(bus.sent.last { $0.peer == anna })
        let document = try JSONValue(parsing: try DocumentAnswer(parsing: last.bytes).document)
        guard case .array(let changes) = document["changes"] else {
            Issue.record("there are no changes")
            return
        }
        // The root and each node: 60 new keys and one removed key.
        #expect(changes.count == 1_001 * 61)
    }
}
