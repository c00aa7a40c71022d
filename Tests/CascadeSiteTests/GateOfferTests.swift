// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Testing

/// Links that the gate has offered, and that the child's first message opens; requests that arrive late or
/// twice, and the limits of both.
@Suite struct GateOfferTests {
    @Test func `a request of an ended link is stale and has no effect`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.open(GateWorld.request(2))
        world.effects = []
        world.open(GateWorld.request(1))
        #expect(world.effects.isEmpty)
        #expect(world.gate.counters.staleOpenings == 1)
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
    }

    @Test func `a request opens no link before a message on the link`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        #expect(world.effects.count == 1)
        #expect(world.gate.openLinks.isEmpty && world.gate.deadline == nil)
        world.keepAlive(on: LinkID(1))
        #expect(world.effects.last == .connect(LinkKey("ulm", LinkID(1))))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(1))])
    }

    @Test func `an old request at a new gate does not end the link of the child`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(2))
        world.connect(2)
        let before = world.effects.count
        world.ask(GateWorld.request(1))
        // It is answered, and has no other effect.
        #expect(world.effects.count == before + 1)
        world.receive(GateWorld.message(1, [9]), on: .link(LinkID(2)))
        #expect(world.delivered == [[9]])
        #expect(world.disconnected.isEmpty && world.closes.isEmpty)
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
    }

    @Test func `an old request of another boot at a new gate keeps no child out`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1, instance: "before the boot"))
        world.effects = []
        world.open(GateWorld.request(2))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
        #expect(try world.refusal() == nil)
    }

    @Test func `an old request between a request and its first message costs no link`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(2))
        world.ask(GateWorld.request(1))
        world.keepAlive(on: LinkID(2))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
        // A child that has gone on does not return to an earlier request.
        world.ask(GateWorld.request(4))
        world.ask(GateWorld.request(5))
        world.keepAlive(on: LinkID(5))
        world.effects = []
        world.keepAlive(on: LinkID(4))
        #expect(world.closes == [.link(LinkID(4)): GateWorld.unknownLink])
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(5))])
    }

    /// Expects that the request of a link that has ended is not answered again, and that its messages are
    /// those of an unknown link.
    private func expectEnded(
        _ link: LinkID, in world: inout GateWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        world.effects = []
        world.ask(GateWorld.request(link.rawValue))
        #expect(world.effects.isEmpty, sourceLocation: sourceLocation)
        #expect(world.gate.counters.staleOpenings == 1, sourceLocation: sourceLocation)
        world.keepAlive(on: link)
        #expect(
            world.closes == [.link(link): GateWorld.unknownLink], sourceLocation: sourceLocation)
    }

    @Test func `a link that the child has given up is not offered again`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        world.open(GateWorld.request(2))
        expectEnded(LinkID(1), in: &world)
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
    }

    @Test func `the offer that a fifth one displaces has ended`() throws {
        var world = try GateWorld()
        for link in 1...5 as ClosedRange<UInt64> {
            world.ask(GateWorld.request(link))
        }
        let ends = world.effects.compactMap { effect -> LinkKey? in
            if case .report(.ended(let key, .closed)) = effect { key } else { nil }
        }
        #expect(ends == [LinkKey("ulm", LinkID(1))])
        // Its request is not answered again, and would displace another offer.
        expectEnded(LinkID(1), in: &world)
        #expect(world.gate.counters.unknownLinks == 1)
        #expect(world.gate.openLinks.isEmpty)
        world.keepAlive(on: LinkID(2))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(2))])
    }

    @Test func `a malformed first message opens no link, and is answered with its fault`() throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.connect(1)
        world.ask(GateWorld.request(2))
        world.effects = []
        world.receive([1, 2, 3], on: .link(LinkID(2)))
        let fault = LinkFault.truncated(byteCount: 3)
        #expect(world.effects.count == 2)
        #expect(world.closes == [.link(LinkID(2)): fault.description])
        guard case .report(.ended(LinkKey("ulm", LinkID(2)), .fault(fault)))? = world.effects.last
        else {
            Issue.record("\(world.effects)")
            return
        }
        world.keepAlive(on: LinkID(2))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(1))])
    }

    @Test func `a part as the first message opens no link, and is answered with its fault`() throws
    {
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        world.effects = []
        // The first 2 bytes of a frame of 2 MiB, after a whole frame.
        world.receive(
            GateWorld.message(1, [9]) + [2, 0, 0, 0x80, 0, 0, 0x20, 0, 1, 2], on: .link(LinkID(1)))
        let fault = LinkFault.frameTooLong(byteCount: 2_097_152, maximum: 1_044_480)
        #expect(world.closes == [.link(LinkID(1)): fault.description])
        #expect(world.effects.last == .report(.ended(LinkKey("ulm", LinkID(1)), .fault(fault))))
        #expect(world.effects.count == 2)
        world.keepAlive(on: LinkID(1))
        #expect(world.gate.openLinks.isEmpty)
    }

    @Test(arguments: [
        LinkMessage.encoded(.close("done"), taken: 0),
        LinkMessage.encoded(.acknowledgement, taken: 1),
        // Two messages of a child whose link an earlier gate had.
        GateWorld.message(2, [9]),
        LinkMessage.encoded(.again, taken: 7),
    ])
    func `a first message that would end its link opens none`(message: [UInt8]) throws {
        var world = try GateWorld()
        world.open(GateWorld.request(1))
        world.connect(1)
        world.ask(GateWorld.request(2))
        world.effects = []
        world.receive(message, on: .link(LinkID(2)))
        #expect(world.effects.count == 1)
        #expect(world.closes == [.link(LinkID(2)): GateWorld.unknownLink])
        #expect(world.gate.counters.unknownLinks == 1)
        // The offer has ended.
        world.keepAlive(on: LinkID(2))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(1))])
    }

    @Test func `a late request at a new gate does not divide a link in use`() throws {
        // The child has sent the first frames to an earlier gate, and received none.
        var world = try GateWorld()
        world.ask(GateWorld.request(1))
        world.keepAlive(on: LinkID(1))
        world.connect(1)
        world.effects = []
        world.receive(GateWorld.message(2, [9]), on: .link(LinkID(1)))
        #expect(world.delivered.isEmpty)
        #expect(world.closes == [.link(LinkID(1)): Gate.missesFrames])
        #expect(world.disconnected == [LinkID(1)])
        #expect(world.gate.openLinks.isEmpty)
        // The child opens another link, and resumes.
        world.open(GateWorld.request(2))
        world.receive(GateWorld.message(1, [8]), on: .link(LinkID(2)))
        world.receive(GateWorld.message(2, [9]), on: .link(LinkID(2)))
        world.connect(2)
        #expect(world.delivered == [[8], [9]])
    }

    @Test func `an offered link opens for the first of two machines alone`() throws {
        var world = try GateWorld()
        world.ask(GateWorld.request(1, instance: "a"))
        world.ask(GateWorld.request(2, instance: "b"))
        world.keepAlive(on: LinkID(1))
        world.effects = []
        world.keepAlive(on: LinkID(2))
        guard case .report(.refused("ulm", let refusal))? = world.effects.last else {
            Issue.record("\(world.effects)")
            return
        }
        #expect(refusal.code == .nameTaken)
        #expect(world.closes == [.link(LinkID(2)): refusal.message])
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(1))])
    }

    @Test func `offered links do not exceed the connections to the bus`() throws {
        var world = try GateWorld()
        for link in 1...3 as ClosedRange<UInt64> {
            world.open(GateWorld.request(link))
        }
        // Both links are offered while one connection may still be opened.
        world.ask(GateWorld.request(4))
        world.ask(GateWorld.request(10))
        world.keepAlive(on: LinkID(4))
        world.effects = []
        world.keepAlive(on: LinkID(10))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(4))])
        #expect(
            world.closes == [.link(LinkID(10)): "the site has 4 links that are not closed yet"])
    }

    @Test func `a child has at most four connections to the bus`() throws {
        var world = try GateWorld()
        for link in 1...4 as ClosedRange<UInt64> {
            world.open(GateWorld.request(link))
        }
        #expect(world.disconnected == [LinkID(1), LinkID(2), LinkID(3)])
        world.effects = []
        world.open(GateWorld.request(5))
        #expect(try world.refusal()?.code == .tooMany)
        world.disconnect(1)
        world.open(GateWorld.request(6))
        #expect(world.gate.openLinks == [LinkKey("ulm", LinkID(6))])
    }

    @Test func `of more than ten requests a second one is refused and the rest ignored`() throws {
        var world = try GateWorld()
        for link in 1...50 as ClosedRange<UInt64> {
            world.open(GateWorld.request(link))
            world.disconnect(link - 1)
        }
        let answers = try world.answers()
        #expect(answers.count == 11)
        #expect(world.gate.counters.floodedOpenings == 40)
        // Another child is not affected, and the next second admits ten again.
        world.open(GateWorld.request(1), from: "bonn")
        #expect(try world.answers().count == 1)
        world.now = 1_000
        world.open(GateWorld.request(60))
        #expect(world.gate.openLinks.contains(LinkKey("ulm", LinkID(60))))
    }
}
