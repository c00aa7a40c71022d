// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct SilenceLimitTests {
    @Test("Ten beats without a word are too many, as long as the daemon's beats are")
    func deadline() {
        var limit = SilenceLimit(at: 1_000)
        #expect(limit.deadline == 10_000_001_000)
        limit.learn(beatMilliseconds: 200)
        #expect(limit.deadline == 2_000_001_000)
        limit.heard(at: 5_000)
        #expect(limit.deadline == 2_000_005_000)
    }
}
