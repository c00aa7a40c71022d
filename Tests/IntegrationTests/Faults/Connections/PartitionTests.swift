// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    /// A network of the test's own, whose only device can be switched off.
    @FaultThread
    @Suite(.enabled(if: Namespaces.haveNetworks, "requires network namespaces"))
    struct PartitionTests {
        private static let port = 47_114
        private static let network = ["/usr/bin/unshare", "--net", "/bin/sh", "-c"]

        /// Runs a command in the daemon's network namespace.
        private func inside(
            _ bus: FaultBus, _ words: [String], endpoint: String = ""
        ) throws -> SpawnedProgram {
            try SpawnedProgram(
                "/usr/bin/nsenter", ["--target", "\(bus.daemon.processID)", "--net"] + words,
                bus: endpoint)
        }

        private func setNetwork(_ bus: FaultBus, _ state: String) throws {
            let command = try inside(bus, ["ip", "link", "set", "lo", state])
            #expect(try command.end().exitCode == 0)
        }

        @Test func `a node behind a partition is unresponsive, then vacant, then attached again`()
            throws
        {
            let wrapper = Self.network + ["ip link set lo up && exec \"$@\"", "daemon"]
            try FaultBus.open(["--beat", "100ms"], tcpPort: Self.port, within: wrapper) { bus in
                let program = try SpawnedProgram.path(of: "cascadectl")
                let far = try inside(
                    bus, [program, "attach", "/far", "--handle", "Order", "--stdio"],
                    endpoint: "tcp://127.0.0.1:\(Self.port)")
                try #require(try far.output.line(containing: "\"attached\"") != nil)
                let trigger = try bus.start(["trigger", "Order", "--from", "/far", "--json"])
                let first = try #require(try far.output.line(containing: "\"Order\""))
                _ = try bus.tree()

                try setNetwork(bus, "down")
                try Patience.until("/far is unresponsive") {
                    try ["unresponsive", "vacant"].contains(bus.tree()["/far"]?.state)
                }
                try bus.wait("/far", "vacant")
                let outcome = try ShownOutcome(trigger.end())
                #expect(outcome.outcome == "failed" && outcome.error?.name == "nodeLost")
                try Outage.last(on: bus)

                try setNetwork(bus, "up")
                try bus.wait("/far", "live")
                // The answer to an ended event is ignored.
                far.write(line: #"{"id":"\#(try first.eventID())","verdict":"handled"}"#)
                let next = try bus.start(["trigger", "Order", "--from", "/far", "--json"])
                let second = try #require(try far.output.line(containing: "\"Order\""))
                #expect(try second.eventID() != first.eventID())
                far.write(line: #"{"id":"\#(try second.eventID())","verdict":"handled"}"#)
                #expect(try ShownOutcome(next.end()).outcome == "handled")
                far.signal(SIGTERM)
                #expect(try far.end().exitCode == 0)
            }
        }
    }
}
