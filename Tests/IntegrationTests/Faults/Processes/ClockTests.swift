// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    /// Tests cannot set the machine's clock, so the daemon runs in a time namespace of its own,
    /// whose clocks differ from its workers'.
    @FaultThread
    @Suite(.enabled(if: Namespaces.haveTimes, "requires time namespaces"))
    struct ClockTests {
        @Test func `a daemon whose clocks are a day ahead of its workers' expires nothing`() throws
        {
            let wrapper = [
                "/usr/bin/unshare", "--time", "--monotonic", "86400", "--boottime", "86400",
            ]
            try FaultBus.open(["--beat", "100ms"], within: wrapper) { bus in
                let handler = try bus.attach(
                    "/kitchen", ["--handle", "Order", "--delay", "300ms"])
                let oven = try bus.attach("/kitchen/oven/door", ["--observe", "Order"])
                for _ in 1...3 {
                    let outcome = try bus.trigger(
                        "Order", ["--from", "/kitchen", "--deadline", "20s"])
                    #expect(outcome.outcome == "handled")
                }
                let held = try bus.start(
                    ["trigger", "Late", "--hold", "20s", "--json", "--from", "/kitchen/oven"])
                try Patience.until("the event is held") {
                    try bus.run(["undelivered"]).output.text.contains("Late")
                }
                let late = try bus.attach("/kitchen/oven", ["--handle", "Late"])
                #expect(try ShownOutcome(held.end()).outcome == "handled")
                for program in [oven, late, handler] {
                    program.signal(SIGTERM)
                    #expect(try program.end().exitCode == 0)
                }
            }
        }
    }
}
