// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    /// The daemon is killed at each step of an event, and started again.
    @FaultThread
    @Suite struct DaemonDeathTests {
        private func restart(_ bus: FaultBus) throws {
            try bus.killDaemon()
            try bus.startDaemon()
        }

        private func trigger(_ bus: FaultBus) throws -> SpawnedProgram {
            try bus.start(["trigger", "Order", "--from", "/kitchen", "--json", "--deadline", "90s"])
        }

        /// How often a handler was asked about an order.
        private func orderCount(_ handler: SpawnedProgram) throws -> Int {
            handler.signal(SIGTERM)
            return try handler.end().output.text.split(separator: "\n").count {
                $0.contains("\"name\":\"Order\"")
            }
        }

        private func expectHandled(_ trigger: SpawnedProgram) throws {
            let outcome = try ShownOutcome(trigger.end())
            #expect(outcome.exitCode == 0, "\(outcome)")
            #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
        }

        /// Outcomes are printed as they come to whoever waits for each, in any order.
        private func expectAllHandled(_ count: Int, by origin: SpawnedProgram) throws {
            let lines = try (0..<count).map { _ in
                try #require(try origin.output.line(containing: "\"ref\""))
            }
            #expect(lines.allSatisfy { $0.contains("\"outcome\":\"handled\"") }, "\(lines)")
            let refs = Set(lines.compactMap { $0.split(separator: "\"ref\":").last })
            #expect(refs.count == count)
        }

        @Test("Killed before it has read an event")
        func beforeReading() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order"])
                let origin = try bus.attach("/kitchen/oven", ["--stdio"])
                bus.daemon.stop()
                origin.write(line: #"{"trigger":"Order","ref":1}"#)
                // The answer to what it does not know proves that it has read the line before.
                origin.write(line: "nonsense")
                try #require(try origin.output.line(containing: "problem") != nil)
                try restart(bus)
                try expectAllHandled(1, by: origin)
                #expect(try orderCount(handler) == 1)
            }
        }

        // The handler stands still, so it has accepted nothing.
        @Test("Killed when the handler has been sent the event and has not accepted it")
        func beforeAccepting() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order"])
                handler.stop()
                let trigger = try trigger(bus)
                try Patience.until("the event is under way") {
                    try bus.counters()["eventsUnderWay"] == 1
                }
                try bus.killDaemon()
                handler.signal(SIGCONT)
                try bus.startDaemon()
                try expectHandled(trigger)
                #expect(try orderCount(handler) == 1)
            }
        }

        // The daemon stands still before the verdict and is killed without having read it.
        @Test("Killed when the handler has answered, and the answer was not read")
        func beforeReadingTheVerdict() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let trigger = try trigger(bus)
                let line = try #require(try handler.output.line(containing: "\"Order\""))
                let id = try line.eventID()
                bus.daemon.stop()
                handler.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                // The answer to what it does not know proves that it has read the line before.
                handler.write(line: "nonsense")
                try #require(try handler.output.line(containing: "problem") != nil)
                try restart(bus)
                try expectHandled(trigger)
                #expect(try orderCount(handler) == 1)
            }
        }

        @Test("Killed when the outcome has been sent, and the origin has not read it")
        func beforeTheOutcome() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let trigger = try trigger(bus)
                let line = try #require(try handler.output.line(containing: "\"Order\""))
                trigger.stop()
                handler.write(
                    line: #"{"id":"\#(try line.eventID())","verdict":"handled"}"#)
                try Patience.until("the event has ended") {
                    try bus.counters()["handled"] == 1
                }
                try bus.killDaemon()
                trigger.signal(SIGCONT)
                try bus.startDaemon()
                try expectHandled(trigger)
                #expect(try orderCount(handler) == 1)
            }
        }

        // One origin, so that there is an order; the handler answers one by one.
        @Test("Events of one origin come in their order, whenever the daemon is killed")
        func order() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach(
                    "/kitchen", ["--handle", "Order", "--delay", "20ms"])
                let origin = try bus.attach("/kitchen/oven", ["--stdio"])
                for number in 1...60 {
                    let line = #"{"trigger":"Order","payload":\#(number),"ref":\#(number)}"#
                    origin.write(line: line)
                }
                for _ in 1...3 {
                    try #require(try handler.output.line(containing: "\"Order\"") != nil)
                    try restart(bus)
                }
                try expectAllHandled(60, by: origin)
                handler.signal(SIGTERM)
                let payloads = try handler.end().output.text.split(separator: "\n")
                    .filter { $0.contains("\"name\":\"Order\"") }
                    .compactMap { line in
                        line.split(separator: "\"payload\":").last?.prefix { $0.isNumber }
                    }
                    .compactMap { Int($0) }
                #expect(payloads == Array(1...60), "\(payloads)")
            }
        }

        @Test("A daemon that stands still keeps callers waiting, and loses nothing")
        func standingStill() throws {
            try FaultBus.open(["--beat", "200ms"]) { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order"])
                let origin = try bus.attach("/kitchen/oven", ["--stdio"])
                bus.daemon.stop()
                for number in 1...10 {
                    let line = #"{"trigger":"Order","deadline":"90s","ref":\#(number)}"#
                    origin.write(line: line)
                }
                let waiting = try trigger(bus)
                try Outage.last(on: bus)
                bus.daemon.signal(SIGCONT)
                try expectHandled(waiting)
                try expectAllHandled(10, by: origin)
                #expect(try bus.tree()["/kitchen"]?.state == "live")
                #expect(try orderCount(handler) == 11)
            }
        }
    }
}
