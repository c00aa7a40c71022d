// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    /// The daemon without the help of the kernel.
    @FaultThread
    @Suite struct DegradedTests {
        @Test func `without pidfd_open the daemon logs a warning and detects exits by beats`()
            throws
        {
            let wrapper = [Script.python, Script.path("without_pidfd.py")]
            try FaultBus.open(["--beat", "100ms"], within: wrapper) { bus in
                #expect(bus.daemon.diagnostics.text.contains("pidfd_open"))
                let node = try bus.attach("/kitchen", ["--handle", "Order"])
                // The node, the witness and the caller.
                #expect(try bus.counters()["sessionsUnwatched"] == 3)
                node.kill()
                try bus.wait("/kitchen", "vacant")
                // A stopped process keeps its connection, so only the missing beats reveal it.
                let still = try bus.attach("/bar", ["--handle", "Order"])
                still.stop()
                try bus.wait("/bar", "vacant")
                still.signal(SIGCONT)
                try bus.wait("/bar", "live")
                #expect(try bus.trigger("Order", ["--from", "/bar"]).by == "/bar")
                still.signal(SIGTERM)
                #expect(try still.end().exitCode == 0)
            }
        }

        @Test func `a peer on tcp has no credentials and counts as unwatched`() throws {
            try FaultBus.open(["--beat", "100ms"], tcpPort: 47_113) { bus in
                #expect(try bus.counters()["sessionsUnwatched"] == 0)
                let node = try SpawnedProgram(
                    "cascadectl", ["attach", "/far", "--handle", "Order"],
                    bus: "tcp://127.0.0.1:47113")
                try #require(try node.output.line(containing: "\"attached\"") != nil)
                #expect(try bus.counters()["sessionsUnwatched"] == 1)
                #expect(try bus.trigger("Order", ["--from", "/far"]).by == "/far")
                node.kill()
                try bus.wait("/far", "vacant")
            }
        }

        // A machine without power is as silent as a stopped one.
        @Test func `a worker on tcp replaces a silent connection`() throws {
            try FaultBus.open(["--beat", "100ms"], tcpPort: 47_116) { bus in
                let node = try SpawnedProgram(
                    "cascadectl", ["attach", "/far", "--handle", "Order"],
                    bus: "tcp://127.0.0.1:47116")
                try #require(try node.output.line(containing: "\"attached\"") != nil)
                bus.daemon.stop()
                try Outage.last(on: bus)
                bus.daemon.signal(SIGCONT)
                #expect(try bus.daemon.diagnostics.line(containing: "/far lost") != nil)
                try bus.wait("/far", "live")
                #expect(try bus.trigger("Order", ["--from", "/far"]).by == "/far")
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
            }
        }
    }
}
