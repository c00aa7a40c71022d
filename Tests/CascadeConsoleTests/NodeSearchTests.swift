// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct NodeSearchTests {
    private static let node: ShownNode = {
        var snapshot = NodeSnapshot(
            path: "/shop/Photo", state: .unresponsive, isActive: true, ageMicroseconds: 0,
            childCount: 0, responders: [ResponderDeclaration(.handle, "PrintJob")])
        snapshot.subscriptions = ["Bell"]
        snapshot.counters = [NamedNumber("queue", 3)]
        var appearance = ShownNode.Appearance(snapshot, user: "Mara")
        appearance.unit = "kiosk@7.service"
        let reading = NodeReading(
            when: Timestamp(microseconds: 0), session: nil,
            counters: NodeCounters(snapshot.counters))
        return ShownNode(
            number: 1, place: nil, path: snapshot.path, parent: 0, appearance: appearance,
            activity: ShownNode.Activity(reading, since: nil), version: 1, activityVersion: 1)
    }()

    @Test(arguments: [
        "photo", "SHOP/ph", "printjob", "kiosk", "mara bell", "state:silent", "state:unresponsive",
        "asked:printjob", "told:Bell", "unit:kiosk@*", "unit:*.service", "unit:k*@*e", "user:mara",
        "queue:>2", "queue:3", "queue:<4", "rate:0", "rate:", "queue:>", "bus:* photo", "",
    ])
    func `a node matches all that is true of it`(_ text: String) {
        #expect(NodeSearch(text).matches(Self.node))
    }

    @Test(arguments: [
        "laser", "photo laser", "state:live", "asked:print", "told:printjob", "unit:kiosk",
        "unit:kiosk*kiosk@7.service", "user:mar", "queue:>3", "queue:many", "rate:>0",
        "other:photo",
    ])
    func `a node that lacks one of them does not match`(_ text: String) {
        #expect(!NodeSearch(text).matches(Self.node))
    }

    @Test func `a word that begins with a slash is a path`() {
        #expect(NodeSearch("/Shop/photo bus:*").path == "/Shop/photo")
        #expect(
            ["shop/photo", "/shop photo", "/shop//photo", ""].allSatisfy {
                NodeSearch($0).path == nil
            })
    }

    @Test func `buses are sought by patterns`() {
        #expect(NodeSearch("bus:*").includes(bus: "Shop"))
        #expect(NodeSearch("bus:sh* x").includes(bus: "Shop"))
        #expect(!NodeSearch("bus:sh*").includes(bus: "depot"))
        #expect(NodeSearch("x").includes(bus: "depot"))
    }
}
