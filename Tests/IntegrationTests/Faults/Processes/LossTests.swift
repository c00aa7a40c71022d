// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing
import ZeroMQ

extension Faults {
    @FaultThread
    @Suite struct LossTests {
        // A stopped process accepts nothing.
        @Test func `a handler killed before it accepted an event is skipped`() throws {
            try FaultBus.open { bus in
                let upper = try bus.attach("/kitchen", ["--handle", "Order"])
                let lower = try bus.attach("/kitchen/oven", ["--handle", "Order"])
                lower.stop()
                let trigger = try bus.run(
                    ["trigger", "Order", "--from", "/kitchen/oven", "--no-wait"])
                #expect(trigger.exitCode == 0)
                lower.kill()
                let id = trigger.output.text.split(separator: "\n")[0]
                #expect(try upper.output.line(containing: String(id)) != nil)
                #expect(try lower.end().output.text.contains("Order") == false)
            }
        }

        @Test func `an event whose handler was killed after accepting it fails at its node`() throws
        {
            try FaultBus.open { bus in
                let upper = try bus.attach("/kitchen", ["--handle", "Order"])
                let lower = try bus.attach(
                    "/kitchen/oven", ["--handle", "Order", "--delay", "30s"])
                let outcome = try killDuring(bus, lower, [])
                #expect(outcome.exitCode == 10)
                #expect(outcome.outcome == "failed")
                #expect(outcome.error?.name == "nodeLost")
                #expect(outcome.error?.node == "/kitchen/oven")
                upper.signal(SIGTERM)
                #expect(try upper.end().output.text.contains("Order") == false)
            }
        }

        @Test func `with --on-loss pass an event continues above a killed handler`() throws {
            try FaultBus.open { bus in
                let upper = try bus.attach("/kitchen", ["--handle", "Order"])
                let lower = try bus.attach(
                    "/kitchen/oven", ["--handle", "Order", "--delay", "30s"])
                let outcome = try killDuring(bus, lower, ["--on-loss", "pass"])
                #expect(outcome.exitCode == 0)
                #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
                #expect(try upper.output.line(containing: outcome.id) != nil)
            }
        }

        /// Kills a handler after it has accepted an event. Returns the event's outcome.
        private func killDuring(
            _ bus: FaultBus, _ handler: SpawnedProgram, _ options: [String]
        ) throws -> ShownOutcome {
            let trigger = try bus.start(
                ["trigger", "Order", "--from", "/kitchen/oven", "--json"] + options)
            try #require(try handler.output.line(containing: "Order") != nil)
            // When another process has its answer, the daemon has read the 'accept'.
            _ = try bus.tree()
            handler.kill()
            return try ShownOutcome(trigger.end())
        }

        @Test func `the path of a killed node keeps its children until it is attached again`()
            throws
        {
            try FaultBus.open { bus in
                let middle = try bus.attach("/kitchen/oven", ["--handle", "Order"])
                let child = try bus.attach("/kitchen/oven/door", ["--handle", "Knock"])
                let before = try bus.tree()
                middle.kill()
                try bus.wait("/kitchen/oven", "vacant")
                let between = try bus.tree()
                #expect(between["/kitchen/oven"]?.state == "vacant")
                #expect(between["/kitchen/oven"]?.children == 1)
                #expect(between["/kitchen/oven/door"] == before["/kitchen/oven/door"])
                let successor = try bus.attach("/kitchen/oven", ["--handle", "Order"])
                let after = try bus.tree()
                #expect(after["/kitchen/oven"]?.pid == successor.processID)
                #expect(after["/kitchen/oven/door"] == before["/kitchen/oven/door"])
                let outcome = try bus.trigger("Order", ["--from", "/kitchen/oven/door"])
                #expect(outcome.outcome == "handled" && outcome.by == "/kitchen/oven")
                child.signal(SIGTERM)
                #expect(try child.end().exitCode == 0)
            }
        }

        // With a beat every minute, only the kernel or the end of the connection reveals the loss.
        @Test func `the loss of a process is detected without waiting for beats`() throws {
            try FaultBus.open(["--beat", "60s"]) { bus in
                let observer = try RawPeer.greeted(bus.endpoint)
                var noticed: [Double] = []
                for round in 0..<10 {
                    let path = try NodePath("/victim-\(round)")
                    let victim = try bus.attach(path.description, ["--handle", "Order"])
                    let waiting = try bus.start(["wait", path.description, "--state", "vacant"])
                    #expect(try observer.state(of: path) == .live)
                    let start = MonotonicClock.now()
                    victim.kill()
                    try Patience.until("\(path) is vacant") {
                        try observer.state(of: path) == .vacant
                    }
                    noticed.append(start.millisecondsAgo)
                    #expect(try waiting.end().exitCode == 0)
                    #expect(start.millisecondsAgo < 3_000)
                }
                noticed.sort()
                print("loss noticed after \(noticed[5]) ms (median), \(noticed[9]) ms (most)")
                #expect(noticed[9] < 1_000)
            }
        }
    }
}
