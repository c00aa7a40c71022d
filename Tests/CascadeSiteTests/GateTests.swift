// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Testing

@Suite struct GateTests {
    // MARK: - Admission

    @Test func `a child of the configuration gets a link at its mount`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        world.now = 30
        world.receive(GateWorld.message(1, [9]), on: .link(LinkID(1)))
        let terms = OpenTerms(
            bus: "hq-bus", mount: "/shop/ulm", maximum: 1_044_480, window: 4_194_304)
        let key = LinkKey("ulm", LinkID(1))
        #expect(
            world.effects == [
                .publish("ulm", .open, OpenAnswer.accepted(LinkID(1), terms).encoded),
                .report(
                    .opened(key, host: "host-a", program: "test", roundTrip: .milliseconds(30))),
                // A connection that fails at once is reported after this report.
                .connect(key),
            ])
        #expect(world.gate.openLinks == [key])
    }

    @Test func `a keep-alive that opens a link measures no round trip`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        world.now = 1_250
        world.effects = []
        world.keepAlive(on: LinkID(1))
        let key = LinkKey("ulm", LinkID(1))
        #expect(
            world.effects == [
                .report(.opened(key, host: "host-a", program: "test", roundTrip: nil)),
                .connect(key),
            ])
    }

    @Test func `other names are refused`() throws {
        var world = try GateWorld()
        world.gate.setAncestors(["root"], into: &world.effects)
        for (child, code) in [
            ("berlin", .unknownSite), ("hq", .nameTaken), ("root", .nameTaken),
        ] as [(SiteName, OpenRefusal.Code)] {
            world.open(GateWorld.request(1), from: child)
            #expect(try world.refusal()?.code == code, "\(child)")
        }
        #expect(world.gate.openLinks.isEmpty)
    }

    @Test func `a check on the machine that has the link is answered, and not reported`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.effects = []
        world.ask(GateWorld.request(2, instance: "a-check"))
        #expect(!world.effects.contains { if case .report = $0 { true } else { false } })
        #expect(try world.refusal()?.holder == "a")
        world.ask(GateWorld.request(3, instance: "b-check"))
        #expect(world.effects.contains { if case .report = $0 { true } else { false } })
    }

    @Test func `a child with the name of a site above is refused before it asks`() throws {
        var world = try GateWorld()
        let refusal = OpenRefusal(
            code: .nameTaken,
            message: "the name 'ulm' belongs to a site above; give the child another name")
        world.gate.setAncestors(["root", "ulm"], into: &world.effects)
        #expect(world.effects == [.report(.refused("ulm", refusal))])
        world.effects = []
        world.gate.configure(
            try GateConfiguration(name: "hq", bus: "hq-bus", children: ["root": "/shop/root"]),
            at: .zero, into: &world.effects)
        guard case .report(.refused("root", _))? = world.effects.first else {
            Issue.record("\(world.effects)")
            return
        }
    }

    @Test func `another version is refused, naming both`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1, version: "site/2"))
        let refused = try #require(try world.refusal())
        #expect(refused.code == .versionMismatch)
        #expect(refused.message.contains("site/1") && refused.message.contains("site/2"))
    }

    @Test func `a malformed request is counted and not answered`() throws {
        var world = try GateWorld()
        world.receive([0x7B], on: .open)
        #expect(world.effects.isEmpty)
        #expect(world.gate.counters.malformedOpenings == 1)
    }

    @Test func `a request that comes twice gets the same answer and one connection`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        let first = world.effects[0]
        world.open(GateWorld.request(1))
        #expect(world.effects.filter { $0 == first }.count == 2)
        #expect(world.effects.count { $0 == .connect(LinkKey("ulm", LinkID(1))) } == 1)
        #expect(world.gate.openLinks.count == 1)
    }

    @Test func `a new link of the same instance supersedes the old one at once`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.effects = []
        world.open(GateWorld.request(2))
        #expect(world.disconnected == [LinkID(1)])
        #expect(world.closes[.link(LinkID(1))]?.contains("another link") == true)
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
    }

    @Test func `another machine gets in only after the silence of the first`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.pass(to: 4_000)
        world.keepAlive(on: LinkID(1))
        world.effects = []
        world.pass(to: 8_999)
        world.open(GateWorld.request(2, instance: "b"))
        let refused = try #require(try world.refusal())
        #expect(refused.code == .nameTaken)
        #expect(refused.holder == "a")
        #expect(refused.message.contains("'host-a'") && refused.message.contains("for 8 s"))
        world.pass(to: 9_020)
        #expect(world.gate.openLinks.isEmpty)
        world.effects = []
        world.open(GateWorld.request(3, instance: "b"))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(3))])
    }

    // MARK: - Old epochs

    @Test func `messages of an unknown link are counted, and answered once a second`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.open(GateWorld.request(2))
        world.connect(2)
        world.effects = []
        for _ in 0..<5 {
            world.receive(GateWorld.message(1, [9]), on: .link(LinkID(1)))
        }
        #expect(world.effects.count == 1)
        #expect(world.closes == [.link(LinkID(1)): GateWorld.unknownLink])
        #expect(world.gate.counters.unknownLinks == 5)
        world.now = 1_000
        world.receive(GateWorld.message(1, [9]), on: .link(LinkID(1)))
        #expect(world.effects.count == 2)
        #expect(world.delivered.isEmpty)
    }

    @Test func `the link of another child is unknown`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.connect(1)
        world.receive(GateWorld.message(1, [9]), from: "bonn", on: .link(LinkID(1)))
        #expect(world.delivered.isEmpty)
        #expect(world.gate.counters.unknownLinks == 1)
    }

    // MARK: - The bus

    @Test func `frames wait for the connection to the bus`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.receive(GateWorld.message(1, [9], [8]), on: .link(LinkID(1)))
        #expect(world.delivered.isEmpty)
        world.connect(1)
        #expect(world.delivered == [[9], [8]])
        #expect(world.gate.send([7], on: LinkKey("ulm", LinkID(1))) == .accepted)
        world.effects = []
        world.gate.flush(LinkKey("ulm", LinkID(1)), at: .zero, into: &world.effects)
        #expect(world.effects.count == 1)
    }

    @Test func `the end of the connection to the bus ends the link, and the reverse`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.disconnect(1, "the bus does not run")
        #expect(world.closes == [.link(LinkID(1)): "the bus does not run"])
        world.open(GateWorld.request(2))
        world.effects = []
        world.receive(LinkMessage.encoded(.close("done"), taken: 0), on: .link(LinkID(2)))
        #expect(world.disconnected == [LinkID(2)])
        #expect(world.gate.openLinks.isEmpty)
        world.pass(to: 10_000)
        #expect(world.gate.deadline == nil)
    }

    @Test func `a frame of the bus beyond the maximum reaches the child in part`() throws {
        var world = try GateWorld(maxPayload: 8_192)
        world.open(GateWorld.request(1))
        let key = LinkKey("ulm", LinkID(1))
        #expect(world.gate.send([UInt8](repeating: 1, count: 5_000), on: key) == .accepted)
        world.effects = []
        world.gate.flush(key, at: .zero, into: &world.effects)
        guard case .publish(_, _, let bytes)? = world.effects.first,
            case .frames(let frames) = try LinkMessage(parsing: bytes, maximum: 4_096).body
        else {
            Issue.record("nothing was published")
            return
        }
        #expect(frames == [LinkMessage.Frame(bytes: 24..<4_116, wholeByteCount: 5_000)])
    }

    // MARK: - Reload

    @Test func `a reload ends the links of removed and moved children alone`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.open(GateWorld.request(2), from: "bonn")
        world.effects = []
        let moved = try GateConfiguration(
            name: "hq", bus: "hq-bus", children: ["ulm": "/ulm", "bonn": "/shop/bonn"])
        world.gate.configure(moved, at: .zero, into: &world.effects)
        #expect(world.disconnected == [LinkID(1)])
        let removed = try GateConfiguration(name: "hq", bus: "hq-bus", children: ["ulm": "/ulm"])
        world.effects = []
        world.gate.configure(removed, at: .zero, into: &world.effects)
        #expect(world.disconnected == [LinkID(2)])
        world.effects = []
        world.open(GateWorld.request(3), from: "bonn")
        #expect(try world.refusal()?.code == .unknownSite)
    }

    @Test func `a reload drops what was offered to a moved child`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        world.ask(GateWorld.request(2), from: "bonn")
        let moved = try GateConfiguration(
            name: "hq", bus: "hq-bus", children: ["ulm": "/ulm", "bonn": "/shop/bonn"])
        world.gate.configure(moved, at: .zero, into: &world.effects)
        // A request that comes twice gets no answer with other terms.
        world.effects = []
        world.ask(GateWorld.request(1))
        #expect(world.effects.isEmpty)
        #expect(world.gate.counters.staleOpenings == 1)
        world.keepAlive(on: LinkID(1))
        world.keepAlive(on: LinkID(2), from: "bonn")
        #expect(world.gate.openLinks == [LinkKey("bonn", LinkID(2))])
    }

    @Test func `an invalid configuration is refused, and says why`() {
        for (children, words) in [
            (["hq": "/a"], "has the name of this site"), (["ulm": "/"], "below the root"),
            (["ulm": "/hq:/a"], "below the root"), (["a": "/x", "b": "/x"], "another child"),
            (["a": "/x", "b": "/x/y/z"], "above it, at /x"),
        ] as [([SiteName: NodePath], String)] {
            #expect {
                try GateConfiguration(name: "hq", bus: "", children: children)
            } throws: { "\($0)".contains(words) }
        }
    }

    @Test func `children share 48 MiB of windows, and none has less than 64 KiB`() {
        #expect(LinkSettings.window(childCount: 0) == 4_194_304)
        #expect(LinkSettings.window(childCount: 12) == 4_194_304)
        for count in 13...768 {
            #expect(LinkSettings.window(childCount: count) * count <= 50_331_648)
        }
        #expect(LinkSettings.window(childCount: 1_024) == 65_536)
    }
}
