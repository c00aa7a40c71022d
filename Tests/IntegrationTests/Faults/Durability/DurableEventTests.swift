// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct DurableEventTests {
        /// A bus with a state directory of its own.
        static func open(_ test: (FaultBus, String) throws -> Void) throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            try FaultBus.open(["--state-directory", state, "--reattach", "500ms"]) { bus in
                try test(bus, state)
            }
        }

        @Test func `a bus without a state directory refuses durable events and names the option`()
            throws
        {
            try FaultBus.open { bus in
                let refused = try bus.run(["trigger", "Order", "--durable"])
                #expect(refused.exitCode == 78)
                #expect(refused.diagnostics.text.contains("--state-directory"))
            }
        }

        @Test func `a durable event is handled like any other, and its outcome is not retained`()
            throws
        {
            try Self.open { bus, _ in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                let options = ["--from", "/kitchen", "--durable"]
                let outcome = try bus.trigger("Order", options)
                #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
                #expect(try kitchen.output.line(containing: outcome.id) != nil)
                let counters = try bus.counters()
                #expect(counters["durable"] == 1)
                #expect(counters["durableUnderWay"] == 0)
                #expect(counters["durableOutcomesKept"] == 0)
            }
        }

        @Test func `a durable event without a handler is handled after a restart`() throws {
            try Self.open { bus, _ in
                let oven = try bus.attach("/kitchen/oven", ["--subscribe", "Menu"])
                let ending = try bus.run(
                    ["trigger", "Order", "--from", "/kitchen/oven", "--durable", "--no-wait"])
                #expect(ending.exitCode == 0)
                let id = ending.output.text.trimmingCharacters(in: .newlines)
                oven.kill()
                _ = try oven.end()
                try bus.killDaemon()
                try bus.startDaemon()
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                #expect(try kitchen.output.line(containing: id) != nil)
                try Self.waitFor("durableUnderWay", 0, bus)
            }
        }

        @Test func `the next session of a killed origin gets the outcome, even after a restart`()
            throws
        {
            try Self.open { bus, _ in
                let oven = try bus.attach("/kitchen/oven", ["--stdio"])
                oven.write(line: #"{"trigger":"Coal","durable":true,"payload":{"kilos":20}}"#)
                try Self.waitFor("durableUnderWay", 1, bus)
                oven.kill()
                _ = try oven.end()
                try bus.killDaemon()
                try bus.startDaemon()
                let kitchen = try bus.attach("/kitchen", ["--handle", "Coal"])
                let line = try #require(try kitchen.output.line(containing: "Coal"))
                #expect(line.contains(#""kilos":20"#))
                let id = try #require(Self.eventID(in: line))
                try Self.waitFor("durableOutcomesKept", 1, bus)
                let next = try bus.attach("/kitchen/oven", ["--outcomes"])
                let told = try #require(try next.output.line(containing: id))
                #expect(told.contains(#""outcome":"handled""#))
                #expect(told.contains(#""by":"/kitchen""#))
                try Self.waitFor("durableOutcomesKept", 0, bus)
            }
        }

        static func eventID(in line: String) -> String? {
            line.firstMatch(of: /"id":"([^"]+)"/).map { String($0.1) }
        }

        /// Queries a counter until it has the value.
        static func waitFor(_ counter: String, _ value: Int, _ bus: FaultBus) throws {
            for _ in 0..<400 where try bus.counters()[counter] == value {
                return
            }
            try #require(Bool(false), "\(counter) never was \(value)")
        }
    }
}
