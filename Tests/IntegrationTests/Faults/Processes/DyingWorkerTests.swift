// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Workers that are killed at exact points of the protocol.
    @FaultThread
    @Suite struct DyingWorkerTests {
        private func worker(_ bus: FaultBus, _ way: String) throws -> SpawnedProgram {
            let worker = try Script.start(
                "raw_worker.py", [bus.socketPath, "/kitchen", "Order", way])
            let line = try worker.output.line(containing: "attached")
            try #require(line != nil, "\(worker.diagnostics.text)")
            return worker
        }

        private func trigger(_ bus: FaultBus) throws -> SpawnedProgram {
            try bus.start(["trigger", "Order", "--from", "/kitchen", "--json"])
        }

        // The daemon is stopped while the worker answers and is killed: it learns of both at once.
        @Test func `a verdict sent right before the worker was killed counts`() throws {
            try FaultBus.open { bus in
                for _ in 0..<5 {
                    let worker = try worker(bus, "answer")
                    let trigger = try trigger(bus)
                    try #require(try worker.output.line(containing: "visited") != nil)
                    bus.daemon.stop()
                    worker.write(line: "die")
                    #expect(try worker.end().exitCode == nil)
                    bus.daemon.signal(SIGCONT)
                    let outcome = try ShownOutcome(trigger.end())
                    #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
                    try bus.wait("/kitchen", "vacant")
                }
            }
        }

        // The daemon learns at once that the process has exited and what each session asked for.
        @Test func `sessions of an exited process that claimed each other's node are removed`()
            throws
        {
            try FaultBus.open { bus in
                let worker = try Script.start("crossed_worker.py", [bus.socketPath, "/a", "/b"])
                let line = try worker.output.line(containing: "attached")
                try #require(line != nil, "\(worker.diagnostics.text)")
                bus.daemon.stop()
                worker.write(line: "die")
                #expect(try worker.end().exitCode == nil)
                bus.daemon.signal(SIGCONT)
                try bus.wait("/a", "vacant")
                try bus.wait("/b", "vacant")
            }
        }

        // With a beat every minute, neither beats nor the end of the connection reveal the exit.
        @Test func `the exit of a worker is detected although a child keeps its connection open`()
            throws
        {
            try FaultBus.open(["--beat", "60s"]) { bus in
                let worker = try worker(bus, "fork")
                let trigger = try trigger(bus)
                try #require(try worker.output.line(containing: "visited") != nil)
                worker.write(line: "fork")
                try #require(try worker.output.line(containing: "kept") != nil)
                _ = try bus.tree()
                worker.kill()
                let outcome = try ShownOutcome(trigger.end())
                #expect(outcome.outcome == "failed" && outcome.error?.name == "nodeLost")
                try bus.wait("/kitchen", "vacant")
                worker.closeInput()
                #expect(try worker.end().exitCode == nil)
            }
        }

        /// The number of the bus's connections that the kernel lists.
        private func connectionCount(_ bus: FaultBus) throws -> Int {
            try String(contentsOfFile: "/proc/net/unix", encoding: .utf8)
                .split(separator: "\n").count { $0.hasSuffix(bus.socketPath) }
        }

        // The origin was killed before its welcome, so it had not sent the event.
        @Test func `an origin killed before its welcome triggers no event`() throws {
            try FaultBus.open { bus in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                bus.daemon.stop()
                let count = try connectionCount(bus)
                let origin = try trigger(bus)
                try Patience.until("the origin waits for the daemon") {
                    try connectionCount(bus) > count
                }
                origin.kill()
                #expect(try origin.end().exitCode == nil)
                bus.daemon.signal(SIGCONT)
                let next = try bus.trigger("Order", ["--from", "/kitchen"])
                #expect(next.outcome == "handled")
                #expect(try bus.counters()["triggered"] == 1)
                kitchen.signal(SIGTERM)
                let orders = try kitchen.end().output.text.split(separator: "\n")
                    .filter { $0.contains("\"Order\"") }
                #expect(orders.count == 1)
            }
        }

        @Test func `an event of a killed origin runs to its outcome`() throws {
            try FaultBus.open { bus in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let origin = try trigger(bus)
                let line = try #require(try kitchen.output.line(containing: "\"Order\""))
                origin.kill()
                #expect(try origin.end().exitCode == nil)
                kitchen.write(line: #"{"id":"\#(try line.eventID())","verdict":"handled"}"#)
                try Patience.until("the event has its outcome") {
                    try bus.counters()["handled"] == 1
                }
                #expect(try bus.counters()["eventsUnderWay"] == 0)
                kitchen.signal(SIGTERM)
                #expect(try kitchen.end().exitCode == 0)
            }
        }

        // Each command kills its worker, as a crashing handler would.
        @Test func `an event that crashed three processes is quarantined and can be retried`()
            throws
        {
            try FaultBus.open { bus in
                let crashing = ["--handle", "Bomb", "--", "sh", "-c", "kill -9 $PPID"]
                let paths = ["/a", "/a/b", "/a/b/c", "/a/b/c/d"]
                let handlers = try paths.map { try bus.attach($0, crashing) }
                let outcome = try bus.trigger(
                    "Bomb", ["--from", "/a/b/c/d", "--on-loss", "pass"])
                #expect(outcome.exitCode == 10 && outcome.outcome == "failed")
                #expect(
                    outcome.error?.name == "quarantined" && outcome.error?.node == "/a/b",
                    "\(outcome.text)")
                for handler in handlers[1...] {
                    #expect(try handler.end().exitCode == nil)
                }
                let list = try bus.run(["undelivered", "--json"])
                #expect(list.output.text.contains(outcome.id))
                #expect(list.output.text.contains("\"reason\":\"quarantined\""))
                #expect(try bus.tree()["/a"]?.state == "live")

                let again = try ShownOutcome(
                    bus.run(["undelivered", "retry", outcome.id, "--json"]))
                #expect(
                    again.error?.name == "quarantined" || again.error?.name == "nodeLost",
                    "\(again.text)")
                #expect(try handlers[0].end().exitCode == nil)
            }
        }
    }
}
