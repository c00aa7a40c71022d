// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeSite
import CascadeWire
import Testing

// A bridge between two real brokers, whose link is cut at the worst moment.
@Suite struct BridgeTests {
    private static let jam = Raising(name: "Jam", payload: Array("1".utf8))

    /// A till in Ulm, whose jams the shop above handles.
    private static func shop() -> OracleWorld {
        OracleWorld(
            OracleTree(
                [
                    OracleTree.Node(
                        path: "/shop", responders: [ResponderDeclaration(.handle, "Jam")]),
                    OracleTree.Node(path: "/shop/ulm/till", responders: []),
                ], mount: "/shop/ulm"), isCut: true)
    }

    private static func result(_ world: OracleWorld) -> OracleResult {
        OracleResult(world.workers[1].takeEnd(), 1, world.visits, world.tree)
    }

    @discardableResult
    private static func expectHandledByShop(
        _ world: OracleWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) -> OracleResult {
        let result = result(world)
        #expect(result.code == .handled, sourceLocation: sourceLocation)
        #expect(result.handler == "/shop", sourceLocation: sourceLocation)
        return result
    }

    @Test func `an event that nobody below handles is handled above, as of its origin`() {
        let world = Self.shop()
        let result = world.raise(Self.jam, .event, at: 1, [])
        #expect(result.code == .handled)
        #expect(result.handler == "/shop")
        #expect(result.visits.map(\.origin) == ["/shop/ulm/till"])
        #expect(world.faults == [])
    }

    @Test func `a link that is mended within the patience has lost nothing`() {
        let world = Self.shop()
        world.begin(Self.jam, .event, at: 1) { destination, header in
            if case .bridgeAbove = destination { header.command == .outcome } else { false }
        }
        #expect(world.visits.count == 1)
        world.cutLink(1)
        #expect(world.bridges[1].state == .waiting)
        world.pass(.seconds(3))
        #expect(world.workers[1].isWaiting)
        world.mendLink(1)
        world.pass(.seconds(1))
        #expect(world.bridges[1].state == .up)
        let result = Self.expectHandledByShop(world)
        #expect(result.visits.count == 1)
        #expect(world.faults == [])
    }

    @Test func `what is under way above is lost at the root when the patience ends`() {
        let world = Self.shop()
        world.begin(Self.jam, .event, at: 1) { destination, header in
            if case .bridgeAbove = destination { header.command == .outcome } else { false }
        }
        world.cutLink(1)
        world.pass(.seconds(6))
        #expect(world.bridges[1].state == .cut)
        let result = Self.result(world)
        #expect(result.code == .failed)
        #expect(result.failures.map(\.name) == [Failure(.nodeLost).name])
        #expect(result.failures.first?.node == "/shop/ulm")
    }

    @Test
    func
        `a message that waits for the link when the patience ends goes on as if nothing were above`()
    {
        let world = Self.shop()
        world.cutLink(1)
        world.begin(Self.jam, .event, at: 1) { _, _ in false }
        world.pass(.seconds(4))
        #expect(world.workers[1].isWaiting)
        world.pass(.seconds(2))
        #expect(Self.result(world).code == .unhandled)
        #expect(world.raise(Self.jam, .event, at: 1, []).code == .unhandled)
        world.mendLink(1)
        world.pass(.seconds(8))
        #expect(world.bridges[1].state == .up)
        #expect(world.raise(Self.jam, .event, at: 1, []).code == .handled)
        #expect(world.faults == [])
    }

    /// Raises a durable job at the till while the shop keeps its visit back.
    private static func beginDurable(_ world: OracleWorld) {
        world.keepsBack = { _, _ in true }
        world.begin(
            jam, RaiseOptions(.up, from: .node("/till"), flags: .durable), at: 1)
        #expect(world.visits.count == 1)
        world.keepsBack = { _, _ in false }
    }

    @Test func `a durable event that was above when the link was cut goes up again, marked`() {
        let world = Self.shop()
        Self.beginDurable(world)
        world.cutLink(1)
        world.pass(.seconds(8))
        #expect(world.bridges[1].state == .cut)
        #expect(world.workers[1].isWaiting)
        world.mendLink(1)
        world.pass(.seconds(8))
        #expect(world.bridges[1].state == .up)
        world.finishKeptBack(.handled)
        world.settle()
        Self.expectHandledByShop(world)
        #expect(Set(world.visits.map(\.id)).count == 1)
        let areMarked = world.visits.dropFirst().allSatisfy { $0.isRedelivered }
        #expect(areMarked)
        // The message that was given up has an outcome, too.
        #expect(world.faults == ["lateOutcome"])
    }

    @Test func `a durable event that comes up again joins its message above`() {
        let world = Self.shop()
        Self.beginDurable(world)
        world.restartBus(1)
        world.pass(.seconds(2))
        #expect(world.bridges[1].state == .up)
        #expect(world.visits.count == 1)
        world.finishKeptBack(.handled)
        world.settle()
        Self.expectHandledByShop(world)
        #expect(world.visits.count == 1)
        #expect(world.faults == [])
    }

    /// A till two sites below the shop that handles its jams.
    private static func deepShop() -> OracleWorld {
        let nodes = ["/shop", "/shop/ulm/till", "/shop/ulm/hall/till"].map { (path: NodePath) in
            OracleTree.Node(
                path: path,
                responders: path == "/shop" ? [ResponderDeclaration(.handle, "Jam")] : [])
        }
        return OracleWorld(
            OracleTree(
                nodes,
                [
                    OracleTree.Site(name: "ulm", mount: "/shop/ulm", parent: 0),
                    OracleTree.Site(name: "hall", mount: "/shop/ulm/hall", parent: 1),
                ]), isCut: true)
    }

    @Test func `a durable event that a site two levels below raises again is no loop`() {
        let world = Self.deepShop()
        world.keepsBack = { _, _ in true }
        world.begin(
            Self.jam, RaiseOptions(.up, from: .node("/till"), flags: .durable), at: 2)
        #expect(world.visits.count == 1)
        world.restartBridge(2)
        world.pass(.seconds(2))
        #expect(world.bridges[2].state == .up)
        #expect(world.workers[2].isWaiting)
        world.finishKeptBack(.handled)
        world.settle()
        let result = OracleResult(world.workers[2].takeEnd(), 2, world.visits, world.tree)
        #expect(result.code == .handled)
        #expect(result.handler == "/shop")
        // It joined its message above.
        #expect(world.visits.count == 1)
        #expect(world.faults == [])
    }

    @Test func `a durable event that a site on its way lost goes up again, marked`() {
        let world = Self.deepShop()
        world.keepsBack = { _, _ in true }
        world.begin(
            Self.jam, RaiseOptions(.up, from: .node("/till"), flags: .durable), at: 2)
        #expect(world.visits.count == 1)
        world.keepsBack = { _, _ in false }
        // The process of a site is its bridge, and the gate of the sites below.
        world.cutLink(2)
        world.restartBridge(1)
        world.finishKeptBack(.handled)
        world.pass(.seconds(2))
        #expect(world.bridges[1].state == .up)
        world.mendLink(2)
        world.pass(.seconds(2))
        #expect(world.bridges[2].state == .up)
        let result = OracleResult(world.workers[2].takeEnd(), 2, world.visits, world.tree)
        #expect(result.code == .handled)
        #expect(result.handler == "/shop")
        // The shop's session answers a marked visit by the verdict that it knows.
        #expect(world.visits.map(\.isRedelivered) == [false])
    }

    @Test func `a durable event that joins its message above goes up again if that is given up`() {
        let world = Self.shop()
        Self.beginDurable(world)
        // The next link is up when the patience ends, but the site does not stand for what is above yet.
        world.holds = { destination, header in
            if case .bridgeAbove = destination { header.command == .answer } else { false }
        }
        world.cutLink(1)
        world.mendLink(1)
        world.pass(.seconds(6))
        #expect(world.bridges[1].state == .mounting)
        world.releaseHeld()
        world.settle()
        #expect(world.bridges[1].state == .up)
        // The event has come up again, and waits for the message that was given up.
        #expect(world.visits.count == 1)
        #expect(world.workers[1].isWaiting)
        world.cutLink(1)
        world.mendLink(1)
        world.pass(.seconds(2))
        #expect(world.bridges[1].state == .up)
        world.finishKeptBack(.handled)
        world.settle()
        Self.expectHandledByShop(world)
    }

    @Test func `an answer after the patience and another link is ignored, and counted`() {
        let world = Self.shop()
        world.keepsBack = { _, _ in true }
        world.begin(Self.jam, .event, at: 1) { _, _ in false }
        world.cutLink(1)
        world.pass(.seconds(6))
        #expect(Self.result(world).code == .failed)
        world.mendLink(1)
        world.pass(.seconds(8))
        #expect(world.bridges[1].state == .up)
        world.finishKeptBack(.handled)
        world.settle()
        #expect(world.faults == ["lateOutcome"])
    }

    @Test func `the outcome of a durable event that came while its own bus was away is kept`() {
        let world = Self.shop()
        Self.beginDurable(world)
        world.restartBus(1) {
            world.finishKeptBack(.handled)
        }
        world.pass(.seconds(2))
        Self.expectHandledByShop(world)
        #expect(world.visits.count == 1)
        // The bridge counts the outcome as late, and keeps it for the event, which comes up again.
        #expect(world.faults == ["lateOutcome"])
    }

    @Test func `a site whose own bus was away for longer than the patience is up again at once`() {
        let world = Self.shop()
        world.restartBus(1) {
            world.pass(.seconds(8))
            #expect(world.bridges[1].state == .cut)
        }
        world.pass(.seconds(1))
        #expect(world.bridges[1].state == .up)
        let result = world.raise(Self.jam, .event, at: 1, [])
        #expect(result.handler == "/shop")
        #expect(world.faults == [])
    }

    @Test func `a site whose own bus refuses the names above is not up, and says why`() {
        let world = Self.shop()
        world.cutLink(1)
        world.pass(.seconds(6))
        world.buses[1].setLimit(respondersPerNode: 1)
        world.mendLink(1)
        world.pass(.seconds(8))
        guard case .refused(let reason) = world.bridges[1].state else {
            Issue.record("the bridge is \(world.bridges[1].state)")
            return
        }
        #expect(reason.hasPrefix("the site's own bus does not let '/' stand for 'hq': "))
        #expect(world.raise(Self.jam, .event, at: 1, []).code == .unhandled)
        world.buses[1].setLimit(respondersPerNode: 1_024)
        world.pass(.seconds(40))
        #expect(world.raise(Self.jam, .event, at: 1, []).handler == "/shop")
    }

    @Test func `a link that opens when no link is wanted any more is closed`() {
        var generator = SystemRandomNumberGenerator()
        var bridge = Bridge(
            BridgeConfiguration(
                name: "ulm", parent: "hq", homeSecret: SessionSecret(using: &generator),
                aboveSecret: SessionSecret(using: &generator), program: "test", processID: 1),
            seed: 1)
        var effects: [BridgeEffect] = []
        bridge.linkOpened(LinkTerms(mount: "/shop/ulm"), at: .zero, into: &effects)
        guard case .closeLink? = effects.last, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
    }

    @Test func `a site that leaves keeps its link until the parent has answered`() {
        let world = Self.shop()
        world.holds = { destination, header in
            if case .bridgeAbove = destination { header.command == .done } else { false }
        }
        world.leave(1)
        #expect(world.bridges[1].isLeaving)
        #expect(world.bridges[1].abovePeer != nil)
        world.releaseHeld()
        #expect(!world.bridges[1].isLeaving)
        #expect(world.faults == [])
    }

    @Test func `a site that leaves does not wait for a parent whose link is lost`() {
        let world = Self.shop()
        world.holds = { destination, header in
            if case .bridgeAbove = destination { header.command == .done } else { false }
        }
        world.leave(1)
        world.cutLink(1)
        #expect(!world.bridges[1].isLeaving)
    }
}
