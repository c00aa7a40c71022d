// SPDX-License-Identifier: Apache-2.0

import SystemdService
import Testing

@Suite struct WatchdogPeriodTests {
    @Test("A watchdog notification is due after half of the timeout")
    func half() {
        #expect(WatchdogPeriod.half(of: "30000000", for: "7", in: 7) == 15_000_000_000)
        #expect(WatchdogPeriod.half(of: "30000000", for: nil, in: 7) == 15_000_000_000)
    }

    @Test("A timeout of the greatest number does not overflow")
    func endless() throws {
        let half = try #require(WatchdogPeriod.half(of: "\(UInt64.max)", for: nil, in: 7))
        #expect(half <= UInt64(Int64.max))
    }

    @Test("Without a timeout or for another process no watchdog notification is due")
    func nobody() {
        #expect(WatchdogPeriod.half(of: "30000000", for: "8", in: 7) == nil)
        #expect(WatchdogPeriod.half(of: nil, for: "7", in: 7) == nil)
        #expect(WatchdogPeriod.half(of: "0", for: "7", in: 7) == nil)
        #expect(WatchdogPeriod.half(of: "soon", for: "7", in: 7) == nil)
    }
}
