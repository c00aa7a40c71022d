// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeSession
import CascadeSite
import CascadeWire
import Testing

// What a link of 4,096 bytes between a shop at hq and a till in Ulm does not carry.
@Suite struct LinkLimitTests {
    private static let shop = 0
    private static let till = 1
    private static let maximum = 4_096

    private static func world(
        responders: [ResponderDeclaration] = [], subscriptions: [EventName] = []
    ) -> OracleWorld {
        let world = OracleWorld(
            OracleTree(
                [
                    OracleTree.Node(path: "/shop", responders: responders),
                    OracleTree.Node(path: "/shop/ulm/till", subscriptions: subscriptions),
                ], mount: "/shop/ulm"), isCut: true, linkMaximum: maximum)
        world.settle()
        return world
    }

    private static func payload(_ byteCount: Int) -> [UInt8] {
        Array("\"".utf8) + [UInt8](repeating: 0x78, count: byteCount - 2) + Array("\"".utf8)
    }

    private static func values(_ world: OracleWorld) -> [JSONValue] {
        world.document(.environment(path: "/till", key: nil), of: till)?["values"]?.elements ?? []
    }

    private static func notCarried(_ world: OracleWorld) -> [String] {
        let sites = world.bridges[1].sites(at: world.now)
        return sites["sites"]?.elements.first?["notCarried"]?.elements.compactMap(\.string) ?? []
    }

    private static func set(_ world: OracleWorld, _ values: [(EventName, String)]) {
        world.change(shop) { declaration in
            declaration.assignments.settings = values.map { EnvironmentSetting($0, $1) }
        }
        world.settle()
    }

    // MARK: - Messages

    @Test func `an event fails at the root if the link cannot carry it, with both sizes`() {
        let world = Self.world(responders: [ResponderDeclaration(.handle, "Jam")])
        let fits = world.raise(
            Raising(name: "Jam", payload: Self.payload(3_000)), .event, at: Self.till, [])
        #expect(fits.code == .handled)
        let raising = Raising(name: "Jam", payload: Self.payload(4_096))
        let result = world.raise(raising, .event, at: Self.till, [])
        #expect(result.code == .failed)
        #expect(result.failures.map(\.name) == [Failure(.limitReached).name])
        let sentence = result.failures.first?.message ?? ""
        #expect(sentence.hasPrefix("it does not go up to 'hq': the message has 4"), "\(sentence)")
        #expect(sentence.hasSuffix("carries at most 4096"), "\(sentence)")
        #expect(world.faults == [])
    }

    @Test func `a publication fails for the subscriber that the link keeps it from`() {
        let world = Self.world(subscriptions: ["Menu"])
        let fits = world.publish(
            Raising(name: "Menu", payload: Self.payload(3_000)), to: .all, at: Self.shop)
        #expect(fits.code == .delivered)
        #expect(fits.recipients == ["/shop/ulm/till"])
        for _ in 1...3 {
            let raising = Raising(name: "Menu", payload: Self.payload(4_096))
            let options = RaiseOptions(.down(.all), from: .node("/shop"))
            let ended = world.raise(raising, options, at: Self.shop)?.ended
            #expect(ended?.code == .failed)
            #expect(ended?.failure?.name == Failure(.limitReached).name)
            let sentence = ended?.failure?.message ?? ""
            #expect(
                sentence.hasSuffix("exceeds the limit of the link to 'ulm', 4096 bytes"),
                "\(sentence)")
        }
        #expect(world.bridges[1].state == .up)
        #expect(world.faults == [])
    }

    // MARK: - Values

    @Test func `values that are too long together are not read, and are once they fit`() {
        let world = Self.world()
        Self.set(world, [("colour", "1")])
        let long = String(repeating: "x", count: 3_000)
        Self.set(world, [("colour", "2"), ("first", "\"\(long)\""), ("second", "\"\(long)\"")])
        #expect(world.bridges[1].state == .up)
        let colour = Self.values(world).first { $0["key"]?.string == "colour" }
        #expect(colour?["value"]?.integer(Int.self) == 1)
        #expect(colour?["staleSince"]?.string != nil)
        let sentences = Self.notCarried(world)
        #expect(sentences.count == 1)
        #expect(
            sentences.first?.hasPrefix("values of 'hq' are not read: together they have ") == true)
        #expect(sentences.first?.hasSuffix("carries at most 4096") == true)

        // Another link is up without them, and knows the sites above all the same.
        world.cutLink(1)
        world.pass(.seconds(6))
        world.mendLink(1)
        world.pass(.seconds(8))
        #expect(world.bridges[1].state == .up)
        let path = Self.values(world).first { $0["key"]?.string == "site.path" }
        #expect(path?["value"]?.text == #"["hq","ulm"]"#)
        #expect(Self.notCarried(world).count == 1)

        Self.set(world, [("colour", "2"), ("first", "\"\(long)\"")])
        let now = Self.values(world)
        let found = now.first { $0["key"]?.string == "colour" }
        #expect(found?["value"]?.integer(Int.self) == 2)
        #expect(found?["staleSince"] == nil)
        #expect(now.contains { $0["key"]?.string == "first" })
        #expect(Self.notCarried(world) == [])
        #expect(world.faults == [])
    }

    // MARK: - Names and preferences

    @Test func `more names above than a link carries let every name go up`() {
        let many = (0..<200).map { number in
            ResponderDeclaration(.handle, EventName(unchecked: "Name\(number)"))
        }
        let world = Self.world(responders: many)
        #expect(world.bridges[1].state == .up)
        let raising = Raising(name: "Name7", payload: Self.payload(10))
        #expect(world.raise(raising, .event, at: Self.till, []).code == .handled)
        let other = Raising(name: "Other", payload: Self.payload(10))
        #expect(world.raise(other, .event, at: Self.till, []).code == .unhandled)
        #expect(world.faults == [])
    }

    @Test func `a preference that the link cannot carry is not offered, and the others are`() {
        let world = Self.world()
        let long = String(repeating: "x", count: 4_096)
        world.change(Self.till) {
            $0.assignments.offers = [
                PreferenceOffer("ready", "true", .all),
                PreferenceOffer("wide", "\"\(long)\"", .first),
            ]
        }
        world.settle()
        world.settle()
        let above = world.document(.preferences(path: "/shop"), of: Self.shop)
        #expect(above?["preferences"]?.members.map(\.key) == ["ready"])
        let sentences = Self.notCarried(world)
        #expect(sentences.count == 1)
        #expect(
            sentences.first?.hasPrefix("the preference 'wide' is not offered to 'hq': ") == true)
        #expect(world.bridges[1].state == .up)
        #expect(world.faults == [])
    }

    // MARK: - The state

    @Test func `a cut is told once the root is changed, so that the next event ends at home`()
        throws
    {
        let world = Self.world(responders: [ResponderDeclaration(.handle, "Jam")])
        world.cutLink(1)
        world.pass(.seconds(4))
        let bridge = world.bridges[1]
        #expect(bridge.state == .waiting)
        let later = world.now + .seconds(2)
        let effects = bridge.timePassed(at: later)
        #expect(bridge.state == .waiting)
        #expect(!effects.contains { if case .report = $0 { true } else { false } })
        let changes = try effects.compactMap { effect -> Header? in
            guard case .sendHome(let message) = effect else {
                return nil
            }
            return try Header(parsing: message)
        }
        let change = try #require(changes.first { $0.command == .change })
        #expect(change.flags.contains(.abandons))
        let confirmed = bridge.receivedHome(Header(.done, id: change.id).encoded(), at: later)
        #expect(bridge.state == .cut)
        #expect(
            confirmed.contains { if case .report(.changed(.cut)) = $0 { true } else { false } })
    }
}
