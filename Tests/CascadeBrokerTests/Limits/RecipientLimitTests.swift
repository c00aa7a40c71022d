// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeBroker

/// The bytes charged for publications to many subscribers while they are under way.
@Suite struct RecipientLimitTests {
    private static func bus(_ options: String) -> ScenarioBus {
        var bus = ScenarioBus()
        let subscribers = (1...8).map { "/s\($0) subscribe:Bell" }.joined(separator: " + ")
        for line in [
            "bus \(options)", "connect s 1 uid=8", "attach s \(subscribers)", "connect p 2 uid=7",
            "attach p /p",
        ] {
            _ = bus.run(line)
        }
        return bus
    }

    /// The bytes of messages charged to the newest user.
    private static func bytes(_ bus: ScenarioBus) throws -> Int {
        try #require(bus.box?.broker.accounts.accounts.last).messageByteCount
    }

    @Test func `a publication counts for each recipient until the last one has answered`() throws {
        var bus = Self.bus("")
        let before = try Self.bytes(bus)
        _ = bus.run("publish p / Bell outside to=all")
        #expect(try Self.bytes(bus) >= before + 8 * Publication.recipientByteCount)
        for _ in 1...7 {
            _ = bus.run("verdict s handled")
        }
        #expect(try Self.bytes(bus) > before)
        #expect(bus.run("verdict s handled").contains { $0.contains("delivered") })
        #expect(try Self.bytes(bus) == before)
    }

    @Test func `a publication is refused as a whole if its user has no room for the recipients`()
        throws
    {
        var bus = Self.bus("bytesPerUser=9000")
        #expect(bus.run("publish p / Bell outside to=all").contains { $0.contains("s < ") })
        #expect(bus.run("publish p / Bell outside to=all").contains { $0.contains("s < ") })
        let output = bus.run("publish p / Bell outside to=all")
        #expect(output.contains { $0.contains("(limit bytesPerUser)") }, "\(output)")
        #expect(!output.contains { $0.hasPrefix("s < ") }, "\(output)")
        #expect(bus.run("publish p / Bell outside").contains { $0.contains("s < ") })
    }

    @Test func `retained publications for a new subscriber count against its own user`() throws {
        var bus = Self.bus("")
        for name in 1...20 {
            _ = bus.run("publish p /p Menu\(name) retain")
        }
        _ = bus.run("connect g 3 uid=9")
        let subscriptions = (1...20).map { "subscribe:Menu\($0)" }.joined(separator: " ")
        #expect(bus.run("attach g /p/g \(subscriptions)").contains { $0.contains("g < ") })
        #expect(try Self.bytes(bus) > 20 * Payload.recordByteCount)
        for _ in 1...20 {
            _ = bus.run("verdict g handled")
        }
        #expect(try Self.bytes(bus) == 0)
    }

    @Test func `the bytes charged for a recipient are at least its memory`() {
        #expect(MemoryLayout<Delivery>.stride + 32 <= Publication.recipientByteCount)
    }
}
