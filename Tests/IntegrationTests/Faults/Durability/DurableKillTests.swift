// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Faults {
    // The daemon is killed repeatedly while durable events are under way. Each accepted event has
    // one outcome, whether or not its origin or handler has survived.
    @FaultThread
    @Suite struct DurableKillTests {
        private static let rounds = 6
        private static let eventsPerRound = 60

        @Test func `each durable event has one outcome although the daemon is killed repeatedly`()
            throws
        {
            try DurableEventTests.open { bus, _ in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                let oven = try bus.attach("/kitchen/oven", ["--stdio"])
                var generator = SystemRandomNumberGenerator()
                var sent = 0
                for _ in 0..<Self.rounds {
                    let kill = Int.random(in: 0..<Self.eventsPerRound, using: &generator)
                    for number in 0..<Self.eventsPerRound {
                        sent += 1
                        oven.write(
                            line: #"{"trigger":"Order","durable":true,"ref":"r\#(sent)","#
                                + #""payload":{"number":\#(sent)}}"#)
                        if number == kill {
                            try bus.killDaemon()
                            try bus.startDaemon()
                        }
                    }
                }
                var outcomes: [String: Int] = [:]
                while outcomes.count < sent {
                    let line = try #require(try oven.output.line(containing: #""lane":"outcome""#))
                    let ref = try #require(line.firstMatch(of: /"ref":"(r\d+)"/)?.1)
                    #expect(line.contains(#""outcome":"handled""#))
                    outcomes[String(ref), default: 0] += 1
                }
                #expect(outcomes.values.allSatisfy { $0 == 1 })
                try bus.wait("/witness", "live")
                try DurableEventTests.waitFor("durableOutcomesKept", 0, bus)
                #expect(try bus.counters()["durableUnderWay"] == 0)
                // No second outcome follows the last one that was awaited.
                oven.closeInput()
                let lines = try oven.end().output.text.split(separator: "\n")
                #expect(lines.count { $0.contains(#""lane":"outcome""#) } == sent)
                withExtendedLifetime(kitchen) {}
            }
        }

        @Test func `an origin killed with its daemon finds every outcome once in its next session`()
            throws
        {
            try DurableEventTests.open { bus, _ in
                let oven = try bus.attach("/kitchen/oven", ["--stdio"])
                for number in 1...50 {
                    oven.write(
                        line: #"{"trigger":"Order","durable":true,"payload":{"number":\#(number)}}"#
                    )
                }
                try DurableEventTests.waitFor("durableUnderWay", 50, bus)
                oven.kill()
                _ = try oven.end()
                try bus.killDaemon()
                try bus.startDaemon()
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                var handled: Set<String> = []
                for _ in 1...50 {
                    let line = try #require(try kitchen.output.line(containing: "Order"))
                    handled.insert(try #require(DurableEventTests.eventID(in: line)))
                }
                let next = try bus.attach("/kitchen/oven", ["--outcomes"])
                var told: [String] = []
                for _ in 1...50 {
                    let line = try #require(try next.output.line(containing: #""lane":"outcome""#))
                    told.append(try #require(DurableEventTests.eventID(in: line)))
                }
                #expect(Set(told) == handled && told.count == handled.count)
                try DurableEventTests.waitFor("durableOutcomesKept", 0, bus)
            }
        }
    }
}
