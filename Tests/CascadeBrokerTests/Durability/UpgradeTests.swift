// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

// A worker may have a secret while its daemon is of release 0.1.0, which ignores secrets.
@Suite struct UpgradeTests {
    private static let id = EventID(session: SessionSecret(name: "anna").sessionID, sequence: 1)

    /// A bus on a journal that a daemon of release 0.1.0 wrote.
    private static func upgraded() -> ScenarioBus {
        var owner = DurableOwner(Owner(userID: 1000), isProven: false)
        owner.isKeyKnown = false
        let record = DurableRecord(
            id: id, owner: owner, start: "/shop", expiry: 1 << 40, age: 0, flags: .durable,
            milliseconds: 30_000, causes: 0,
            raised: RaisedFields(name: EventName(unchecked: "PrintJob"), origin: "/shop/till"),
            payload: [])
        var bus = ScenarioBus()
        _ = bus.run("bus durable")
        bus.journal = [(id, record.encoded())]
        _ = bus.run("restart")
        return bus
    }

    @Test func `a session with a secret finds the events it triggered on release 0.1.0`() {
        var bus = Self.upgraded()
        _ = bus.run("connect anna 1001 secret=anna")
        // The event is under way, so there is no answer yet.
        #expect(bus.run("recall anna 1").isEmpty)
        for line in ["connect shop 1002", "attach shop /shop handle:PrintJob"] {
            _ = bus.run(line)
        }
        _ = bus.run("verdict shop handled")
        #expect(bus.run("persisted") == ["anna < settled PrintJob by /shop: #1 handled"])
        let forgotten = bus.run("received anna 1")
        #expect(forgotten.count == 1 && forgotten[0].contains("nothing of"))
    }

    @Test func `another user does not find the events of a session on release 0.1.0`() {
        var bus = Self.upgraded()
        let refused = bus.run("connect thief 1001 uid=7 session=+anna")
        #expect(refused.contains { $0.contains("notYours") })
        _ = bus.run("connect thief2 1001 uid=7 secret=anna")
        #expect(bus.run("recall thief2 1").contains { $0.contains("durableLost") })
    }
}
