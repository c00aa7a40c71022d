// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    /// What the daemon does where the kernel does not help it.
    @FaultThread
    @Suite struct DegradedTests {
        @Test("Without descriptors for processes it says so, and notices their ends by its beat")
        func withoutProcessDescriptors() throws {
            let wrapper = [Script.python, Script.path("without_pidfd.py")]
            try FaultBus.open(["--beat", "100ms"], within: wrapper) { bus in
                #expect(bus.daemon.diagnostics.text.contains("pidfd_open"))
                let node = try bus.attach("/kitchen", ["--handle", "Order"])
                // The node, the witness, and whoever asks.
                #expect(try bus.counters()["sessionsUnwatched"] == 3)
                node.kill()
                try bus.wait("/kitchen", "vacant")
                // One that stands still keeps its connection, so nothing but its silence tells.
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

        @Test("On tcp the kernel says nothing of a peer, and the bus shows it as unwatched")
        func withoutCredentials() throws {
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

        // A machine that has lost its power says no more than one that stands still.
        @Test("On tcp a worker gives up a connection on which nothing comes, and makes another")
        func silentDaemon() throws {
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
