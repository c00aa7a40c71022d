// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

/// Durable events on a disk that is smaller than their limit.
@Suite struct DiskShareTests {
    @Test func `on a small disk one user's durable events leave room for another user's`() {
        var bus = ScenarioBus()
        for line in ["bus durable shared", "connect a 1 uid=7", "connect b 2 uid=8"] {
            _ = bus.run(line)
        }
        _ = bus.run("attach a /a")
        _ = bus.run("attach b /b")
        let payload = String(repeating: "1", count: 500)
        bus.handle(.journalDisk(byteCount: 60_000))
        func fill(_ peer: String) -> (accepted: Int, output: [String]) {
            var all: [String] = []
            var accepted = 0
            for _ in 0..<40 {
                let output =
                    bus.run("trigger \(peer) /\(peer) Order durable hold=60s payload=\(payload)")
                    + bus.run("persisted")
                accepted += output.contains { $0.contains("accepted") } ? 1 : 0
                all += output
            }
            return (accepted, all)
        }
        // A sixth of the disk, of which two users have a third each.
        let first = fill("a")
        #expect((3...7).contains(first.accepted), "\(first.accepted)")
        let words = "(limit durableBytes, as far as the disk has room)"
        #expect(first.output.contains { $0.contains(words) }, "\(first.output)")
        let second = fill("b")
        #expect((2...7).contains(second.accepted), "\(second.accepted)")
        // The disk has grown.
        bus.handle(.journalDisk(byteCount: 600_000))
        #expect(fill("a").accepted > 20)
    }

    @Test func `outcomes count like their events, and the oldest make room for the next event`()
        throws
    {
        var bus = ScenarioBus()
        for line in [
            "bus durable durableBytes=4000", "connect h 1", "attach h /h handle:Job", "connect a 2",
            "attach a /h/a",
        ] {
            _ = bus.run(line)
        }
        func used() throws -> UInt64 {
            let use = try #require(bus.box).broker.uses.first { $0.name == "durableBytes" }
            return try #require(use).value
        }
        for number in 1...60 {
            _ = bus.run("trigger a /h/a Job durable")
            let output = bus.run("persisted")
            #expect(output.contains("a < accepted #\(number)"), "\(output)")
            _ = bus.run("verdict h handled")
            _ = bus.run("persisted")
            #expect(try (1...4000).contains(used()))
        }
        #expect(bus.run("recall a 60").contains { $0.contains("#60 handled") })
        #expect(bus.run("recall a 1").contains { $0.contains("durableLost") })
        for number in 1...60 {
            _ = bus.run("received a \(number)")
        }
        #expect(try used() == 0)
    }
}
