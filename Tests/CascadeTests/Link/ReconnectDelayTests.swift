// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct ReconnectDelayTests {
    @Test("The delay grows with each connection that did not serve, and is gone after one that did")
    func growth() {
        var delay = ReconnectDelay()
        let milliseconds = (0..<7).map { _ in delay.next() / 1_000_000 }
        #expect(milliseconds == [0, 20, 40, 80, 160, 200, 200])
        delay.reset()
        #expect(delay.next() == 0)
    }
}
