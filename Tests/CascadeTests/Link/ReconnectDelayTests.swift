// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct ReconnectDelayTests {
    @Test("The delay grows up to a maximum and is reset by a working connection")
    func growth() {
        var delay = ReconnectDelay()
        let milliseconds = (0..<7).map { _ in delay.next() / 1_000_000 }
        #expect(milliseconds == [0, 20, 40, 80, 160, 200, 200])
        delay.reset()
        #expect(delay.next() == 0)
    }
}
