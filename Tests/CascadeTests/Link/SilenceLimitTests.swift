// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct SilenceLimitTests {
    @Test func `the deadline is ten beats of the daemon after the last message`() {
        var limit = SilenceLimit(at: 1_000)
        #expect(limit.deadline == 10_000_001_000)
        limit.setBeat(milliseconds: 200)
        #expect(limit.deadline == 2_000_001_000)
        limit.messageReceived(at: 5_000)
        #expect(limit.deadline == 2_000_005_000)
    }
}
