// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

// Each file in Scenarios is one conversation with the broker. After an intended change, run the
// tests with CASCADE_REWRITE=1 and review the changes in the files.
@Suite struct ScenarioTests {
    @Test(arguments: try Scenario.all.get())
    func `the broker's output is that of the transcript`(scenario: Scenario) throws {
        let actual = scenario.run()
        if ProcessInfo.processInfo.environment["CASCADE_REWRITE"] != nil {
            try scenario.rewrite(actual)
            Issue.record(
                "\(scenario.name) was rewritten; review it, then run the tests without CASCADE_REWRITE"
            )
            return
        }
        for (expected, actual) in zip(scenario.steps, actual)
        where expected.expected != actual.expected {
            Issue.record(
                """
                \(scenario.name):
                \(expected.lines.joined(separator: "\n"))
                ---- expected
                \(expected.expected.joined(separator: "\n"))
                ---- actual
                \(actual.expected.joined(separator: "\n"))
                """)
        }
    }

    @Test func `each transcript begins with a comment`() throws {
        let scenarios = try Scenario.all.get()
        #expect(!scenarios.isEmpty)
        for scenario in scenarios {
            #expect(scenario.steps.first?.lines.first?.hasPrefix("# ") == true, "\(scenario.name)")
        }
    }
}
