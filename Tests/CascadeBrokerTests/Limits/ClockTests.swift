// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@Suite struct ClockTests {
    /// Commands that show times, which are those of the wall clock.
    private static let looking = [
        "undelivered", "underWay", "trace", "happenings", "explain", "monitor",
    ]

    @Test(arguments: try Scenario.all.get())
    func `the output of a transcript ignores the wall clock`(_ scenario: Scenario) {
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
