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

        /// The number of visits of the handler.
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

        /// Outcomes are printed as they arrive, in any order.
        private func expectAllHandled(_ count: Int, by origin: SpawnedProgram) throws {
            let lines = try (0..<count).map { _ in
                try #require(try origin.output.line(containing: "\"ref\""))
            }
            #expect(lines.allSatisfy { $0.contains("\"outcome\":\"handled\"") }, "\(lines)")
            let refs = Set(lines.compactMap { $0.split(separator: "\"ref\":").last })
            #expect(refs.count == count)
        }

        @Test func `an event that the daemon was killed before reading is handled once`() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order"])
                let origin = try bus.attach("/kitchen/oven", ["--stdio"])
                bus.daemon.stop()
                origin.write(line: #"{"trigger":"Order","ref":1}"#)
                // The answer to the nonsense proves that the line before it was read.
                origin.write(line: "nonsense")
                try #require(try origin.output.line(containing: "problem") != nil)
                try restart(bus)
                try expectAllHandled(1, by: origin)
                #expect(try orderCount(handler) == 1)
            }
        }

        @Test func `calls end at their deadlines while no daemon is there, and are not sent later`()
            throws
        {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "*"])
                let origin = try bus.attach("/kitchen/oven", ["--stdio"])
                handler.stop()
                origin.write(line: #"{"trigger":"Order","deadline":"5s","ref":1}"#)
                try Patience.until("the event is under way") {
                    try bus.counters()["eventsUnderWay"] == 1
                }
                try bus.killDaemon()
                origin.write(line: #"{"trigger":"Late","deadline":"500ms","ref":2}"#)
                let late = try #require(try origin.output.line(containing: "\"ref\":2"))
                // It depends on whether the origin knew yet that the daemon is gone.
                #expect(late.contains("no bus was there") || late.contains("timedOut"))
                let ended = try #require(try origin.output.line(containing: "\"ref\":1"))
                #expect(ended.contains("\"outcome\":\"timedOut\""))
                handler.signal(SIGCONT)
                try bus.startDaemon()
                // The origin's next event follows all that it would have sent again.
                try bus.wait("/kitchen", "live")
                origin.write(line: #"{"trigger":"Order","ref":3}"#)
                try expectAllHandled(1, by: origin)
                handler.signal(SIGTERM)
                #expect(try !handler.end().output.text.contains("\"name\":\"Late\""))
            }
        }

        // The handler is stopped, so it has accepted nothing.
        @Test func `an event that visited a handler when the daemon was killed is handled once`()
            throws
        {
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

        // The daemon is stopped before the verdict and killed without having read it.
        @Test func `an event whose verdict the daemon was killed before reading is handled once`()
            throws
        {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let trigger = try trigger(bus)
                let line = try #require(try handler.output.line(containing: "\"Order\""))
                let id = try line.eventID()
                bus.daemon.stop()
                handler.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                // The answer to the nonsense proves that the line before it was read.
                handler.write(line: "nonsense")
                try #require(try handler.output.line(containing: "problem") != nil)
                try restart(bus)
                try expectHandled(trigger)
                #expect(try orderCount(handler) == 1)
            }
        }

        @Test func `an event whose outcome the origin had not read is handled once`() throws {
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

        // Only events of one origin have an order; the handler handles them one by one.
        @Test func `events of one origin are handled in order although the daemon is killed`()
            throws
        {
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

        @Test func `a stopped daemon delays its callers and loses no event`() throws {
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
