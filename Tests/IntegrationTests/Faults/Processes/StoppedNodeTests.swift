// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct StoppedNodeTests {
        @Test func `an event at a stopped handler times out, and its node recovers`() throws {
            try FaultBus.open(["--beat", "100ms"]) { bus in
                let stopped = try bus.attach("/kitchen", ["--handle", "Order"])
                let other = try bus.attach("/bar", ["--handle", "Order"])
                stopped.stop()
                let pending = try bus.start([
                    "trigger", "Order", "--from", "/kitchen", "--deadline", "1500ms", "--json",
                ])
                let unaffected = try bus.trigger("Order", ["--from", "/bar"])
                #expect(unaffected.outcome == "handled" && unaffected.by == "/bar")
                try becomes("unresponsive", "/kitchen", bus)
                let outcome = try ShownOutcome(pending.end())
                #expect(outcome.exitCode == 75)
                #expect(outcome.outcome == "timedOut")
                #expect(outcome.error?.node == "/kitchen")
                #expect(try bus.counters()["lateVerdicts"] == 0)

                stopped.signal(SIGCONT)
                try becomes("live", "/kitchen", bus)
                #expect(try stopped.output.line(containing: outcome.id) != nil)
                try Patience.until("the late verdict is counted") {
                    try bus.counters()["lateVerdicts"] == 1
                }
                let again = try bus.trigger("Order", ["--from", "/kitchen"])
                #expect(again.outcome == "handled" && again.by == "/kitchen")
                #expect(try other.output.line(containing: unaffected.id) != nil)
            }
        }

        @Test func `a publication to a stopped subscriber times out, and later ones are delivered`()
            throws
        {
            try FaultBus.open { bus in
                let stopped = try bus.attach("/screen", ["--subscribe", "Menu"])
                stopped.stop()
                let late = try ShownOutcome(
                    bus.run(["publish", "Menu", "--deadline", "500ms", "--json"]))
                #expect(late.exitCode == 75 && late.outcome == "timedOut")
                #expect(late.error?.node == "/screen")
                stopped.signal(SIGCONT)
                for _ in 0..<3 {
                    let outcome = try ShownOutcome(
                        bus.run(["publish", "Menu", "--deadline", "5s", "--json"]))
                    #expect(outcome.outcome == "delivered" && outcome.paths == ["/screen"])
                }
                #expect(try bus.counters()["lateVerdicts"] == 1)
            }
        }

        /// Waits until the tree shows a node in a state.
        private func becomes(_ state: String, _ path: String, _ bus: FaultBus) throws {
            try Patience.until("\(path) is \(state)") { try bus.tree()[path]?.state == state }
        }
    }
}
