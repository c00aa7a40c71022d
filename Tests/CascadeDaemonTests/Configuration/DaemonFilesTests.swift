// SPDX-License-Identifier: Apache-2.0

import CascadeService
import CascadeTestSupport
import Testing

@testable import CascadeDaemon

/// The files that a configuration names: rules and policy.
@Suite struct DaemonFilesTests {
    @Test func `rules and policy that are not UTF-8 are refused with line and column`() throws {
        let directory = try TemporaryDirectory()
        let bytes = Array("# \u{E4}\n# ä".utf8) + [0xE4, 0x0A]
        var rules = DaemonOptions()
        rules.rules = [try directory.write("latin.rules", bytes)]
        var policy = DaemonOptions()
        policy.policy = [try directory.write("latin.policy", bytes)]
        for (options, file) in [(rules, rules.rules[0]), (policy, policy.policy[0])] {
            let error = #expect(throws: ConfigurationError.self) {
                try DaemonFiles.check(options)
            }
            #expect(error?.faults.map(\.description) == ["\(file):2:4: this byte is not UTF-8"])
        }
    }
}
