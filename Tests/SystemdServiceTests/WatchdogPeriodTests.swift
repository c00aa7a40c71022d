// SPDX-License-Identifier: Apache-2.0

import SystemdService
import Testing

@Suite struct WatchdogPeriodTests {
    @Test func `a watchdog notification is due after half of the timeout`() {
        #expect(WatchdogPeriod.half(of: "30000000", for: "7", in: 7) == 15_000_000_000)
        #expect(WatchdogPeriod.half(of: "30000000", for: nil, in: 7) == 15_000_000_000)
    }

    @Test func `a timeout of the greatest number does not overflow`() throws {
        let half = try #require(WatchdogPeriod.half(of: "\(UInt64.max)", for: nil, in: 7))
        #expect(half <= UInt64(Int64.max))
    }

    @Test func `no watchdog notification is due without a timeout or for another process`() {
        #expect(WatchdogPeriod.half(of: "30000000", for: "8", in: 7) == nil)
        #expect(WatchdogPeriod.half(of: nil, for: "7", in: 7) == nil)
        #expect(WatchdogPeriod.half(of: "0", for: "7", in: 7) == nil)
        #expect(WatchdogPeriod.half(of: "soon", for: "7", in: 7) == nil)
    }
}
