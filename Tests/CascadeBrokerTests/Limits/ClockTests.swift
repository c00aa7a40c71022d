// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@Suite struct ClockTests {
    /// The lines of a scenario that look at times, which are shown as the wall clock had them.
    private static let looking = ["undelivered", "trace", "happenings", "explain", "monitor"]

    @Test("What the wall clock shows decides nothing", arguments: try Scenario.all.get())
    func wallClock(_ scenario: Scenario) {
        let now = output(of: scenario, epochNanoseconds: 1_800_000_000_000_000_000)
        let dayLater = output(of: scenario, epochNanoseconds: 1_800_086_400_000_000_000)
        #expect(now == dayLater)
    }

    private func output(of scenario: Scenario, epochNanoseconds: UInt64) -> [String] {
        var bus = ScenarioBus()
        bus.configuration.epochNanoseconds = epochNanoseconds
        var output: [String] = []
        var isLooking = false
        for line in scenario.steps.flatMap(\.lines) where !line.isEmpty && !line.hasPrefix("#") {
            let lines = bus.run(line)
            isLooking = isLooking || Self.looking.contains { line.hasPrefix($0) }
            if !isLooking {
                output += lines
            }
        }
        return output
    }
}
