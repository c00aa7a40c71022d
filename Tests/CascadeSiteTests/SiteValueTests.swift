// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeExpressions
import CascadeJSON
import CascadeSession
import CascadeSite
import CascadeWire
import Testing

// Values, preferences and publications between a shop at hq and a till in Ulm, whose link is cut and mended.
@Suite struct SiteValueTests {
    private static let shop = 0
    private static let till = 1

    private static func world(
        subscriptions: [EventName] = [],
        configure: (inout BridgeConfiguration) -> Void = { _ in }
    ) -> OracleWorld {
        let world = OracleWorld(
            OracleTree(
                [
                    OracleTree.Node(path: "/shop"),
                    OracleTree.Node(path: "/shop/ulm/till", subscriptions: subscriptions),
                ], mount: "/shop/ulm"), isCut: true, configure: configure)
        world.settle()
        return world
    }

    /// What the till reads.
    private static func value(_ key: String, _ world: OracleWorld) -> JSONValue? {
        world.document(.environment(path: "/till", key: nil), of: till)?["values"]?.elements
            .first { $0["key"]?.string == key }
    }

    private static func set(_ world: OracleWorld, _ key: EventName, _ json: String) {
        world.change(shop) { declaration in
            declaration.assignments.settings.removeAll { $0.key == key }
            declaration.assignments.settings.append(EnvironmentSetting(key, json))
        }
        world.settle()
    }

    // MARK: - Values

    @Test func `a value above is read below with its source, and is stale while the link is cut`() {
        let world = Self.world()
        Self.set(world, "colour", "1")
        #expect(Self.value("colour", world)?["value"]?.integer(Int.self) == 1)
        #expect(Self.value("colour", world)?["kind"]?.string == "set")
        #expect(Self.value("colour", world)?["source"]?.string == "/hq:/shop")
        #expect(Self.value("colour", world)?["staleSince"] == nil)
        #expect(Self.value("site.link", world)?["value"]?.string == "up")
        #expect(Self.value("site.path", world)?["value"]?.text == #"["hq","ulm"]"#)
        world.cutLink(1)
        world.pass(.seconds(6))
        Self.set(world, "colour", "2")
        #expect(Self.value("colour", world)?["value"]?.integer(Int.self) == 1)
        #expect(Self.value("colour", world)?["staleSince"]?.string != nil)
        #expect(Self.value("site.link", world) == nil)
        world.mendLink(1)
        world.pass(.seconds(8))
        #expect(Self.value("colour", world)?["value"]?.integer(Int.self) == 2)
        #expect(Self.value("colour", world)?["staleSince"] == nil)
        #expect(Self.value("site.link", world)?["value"]?.string == "up")
        #expect(world.faults == [])
    }

    @Test func `a value of a rule above is a fallback below`() {
        let world = Self.world()
        world.change(Self.shop) { $0.assignments.rules = ["colour <= 3"] }
        world.settle()
        #expect(Self.value("colour", world)?["value"]?.integer(Int.self) == 3)
        #expect(Self.value("colour", world)?["kind"]?.string == "fallback")
        world.change(Self.till) { $0.assignments.rules = ["colour <= 4"] }
        world.settle()
        #expect(Self.value("colour", world)?["value"]?.integer(Int.self) == 4)
    }

    @Test func `values outlive the bridge, and the next one takes them over`() {
        let world = Self.world()
        Self.set(world, "colour", "1")
        world.cutLink(1)
        world.restartBridge(1)
        world.pass(.seconds(6))
        #expect(Self.value("colour", world)?["value"]?.integer(Int.self) == 1)
        #expect(Self.value("colour", world)?["source"]?.string == "/hq:/shop")
        #expect(Self.value("colour", world)?["staleSince"]?.string != nil)
        world.mendLink(1)
        world.pass(.seconds(8))
        #expect(Self.value("colour", world)?["staleSince"] == nil)
        #expect(world.faults == [])
    }

    // MARK: - The path of the site

    @Test(arguments: [
        (16, 1, "16 sites stand above this one, and a realm is at most 16 sites deep"),
        (1, 65_000, "the value of 'site.path' above has a wrong name: "),
    ])
    func `a site does not stand below a path that is too long`(
        count: Int, byteCount: Int, reason: String
    ) {
        let world = Self.world()
        let name = String(repeating: "x", count: byteCount)
        let names = [String](repeating: "\"\(name)\"", count: count)
        Self.set(world, "site.path", "[\(names.joined(separator: ","))]")
        guard case .refused(let told) = world.bridges[1].state else {
            Issue.record("the bridge is \(world.bridges[1].state)")
            return
        }
        #expect(told.hasPrefix(reason))
        world.pass(.seconds(6))
        // `/` is declared anew, and no longer stands for what is above.
        #expect(Self.value("site.link", world) == nil)
        Self.set(world, "site.path", #"["a","b"]"#)
        world.pass(.seconds(40))
        #expect(Self.value("site.path", world)?["value"]?.text == #"["a","b","ulm"]"#)
    }

    @Test func `a refused site dials again once its own bus is back`() {
        let world = Self.world()
        Self.set(world, "site.path", #"["a","b","ulm"]"#)
        guard case .refused = world.bridges[1].state else {
            Issue.record("the bridge is \(world.bridges[1].state)")
            return
        }
        world.restartBus(1) {
            world.pass(.seconds(8))
            Self.set(world, "site.path", #"["a","b"]"#)
        }
        // The pause after a refusal has not passed.
        world.pass(.seconds(5))
        #expect(world.bridges[1].state == .up)
    }

    // MARK: - Preferences

    @Test func `a preference with another reducer does not cross, and the others do`() {
        let world = Self.world()
        world.change(Self.shop) {
            $0.assignments.offers = [PreferenceOffer("total", "1", .max)]
        }
        world.change(Self.till) {
            $0.assignments.offers = [
                PreferenceOffer("ready", "true", .all), PreferenceOffer("total", "2", .sum),
                PreferenceOffer("wide", "7", .max),
            ]
        }
        world.settle()
        world.settle()
        let above = world.document(.preferences(path: "/shop"), of: Self.shop)
        #expect(above?["preferences"]?["ready"]?.bool == true)
        #expect(above?["preferences"]?["wide"]?.integer(Int.self) == 7)
        #expect(above?["preferences"]?["total"]?.integer(Int.self) == 1)
        let sites = world.bridges[1].sites(at: world.now)
        let notCarried = sites["sites"]?.elements.first?["notCarried"]?.elements ?? []
        #expect(notCarried.count == 1)
        #expect(
            notCarried.first?.string?.hasPrefix(
                "the preference 'total' is not offered to 'hq': ") == true)
        world.cutLink(1)
        let left = world.document(.preferences(path: "/shop"), of: Self.shop)
        #expect(left?["preferences"]?["ready"] == nil)
    }

    // MARK: - What is carried

    @Test func `names outside the globs do not cross`() {
        let world = Self.world(subscriptions: ["Menu", "Prices"]) { configuration in
            configuration.down = .matching([Glob("Me*")])
            configuration.environment = .matching([Glob("c*")])
            configuration.preferences = .matching([Glob("w*")])
        }
        Self.set(world, "colour", "1")
        Self.set(world, "size", "1")
        #expect(Self.value("colour", world) != nil)
        #expect(Self.value("size", world) == nil)
        world.change(Self.till) {
            $0.assignments.offers = [
                PreferenceOffer("ready", "true", .all), PreferenceOffer("wide", "7", .max),
            ]
        }
        world.settle()
        let above = world.document(.preferences(path: "/shop"), of: Self.shop)
        #expect(above?["preferences"]?.members.map(\.key) == ["wide"])
        let payload = Array("1".utf8)
        let menu = world.publish(Raising(name: "Menu", payload: payload), to: .all, at: Self.shop)
        #expect(menu.recipients == ["/shop/ulm/till"])
        let prices = world.publish(
            Raising(name: "Prices", payload: payload), to: .all, at: Self.shop)
        #expect(prices.code == .noSubscriber)
    }

    // MARK: - Publications

    @Test func `a site that is cut has no subscribers, and a retained value is caught up on`() {
        let world = Self.world(subscriptions: ["Menu"])
        world.cutLink(1)
        let menu = Raising(name: "Menu", payload: Array("1".utf8))
        let missed = world.publish(menu, to: .last, at: Self.shop, .retained)
        #expect(missed.code == .noSubscriber)
        world.mendLink(1)
        world.pass(.seconds(8))
        let late = world.takeDeliveries()
        #expect(late.map(\.node) == ["/shop/ulm/till"])
        #expect(late.map(\.isRetained) == [true])
        let next = world.publish(menu, to: .last, at: Self.shop)
        #expect(next.code == .delivered)
        #expect(next.deliveries.map(\.publisher) == ["/shop"])
        #expect(world.faults == [])
    }
}
