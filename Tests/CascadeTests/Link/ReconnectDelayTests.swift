// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct ReconnectDelayTests {
    @Test func `the delay grows up to a maximum, and a reset sets it to zero`() {
        var delay = ReconnectDelay()
        for milliseconds in [0, 20, 40, 80, 160, 200, 200] as [UInt64] {
            let next = delay.next()
            // Each is longer or shorter by up to a half.
            #expect((milliseconds * 500_000...milliseconds * 1_500_000).contains(next))
        }
        delay.reset()
        #expect(delay.next() == 0)
    }
}
