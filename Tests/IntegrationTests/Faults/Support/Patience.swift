// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

/// How long a test waits for what must happen: far beyond what a loaded machine needs.
enum Patience {
    static let milliseconds = 20_000

    /// Tries until it succeeds. Each try takes a while by itself: it asks another process.
    static func until(
        _ what: String, _ isReached: () throws -> Bool
    ) throws {
        let end = MonotonicClock.now() + UInt64(milliseconds) * 1_000_000
        while try !isReached() {
            try #require(MonotonicClock.now() < end, "waited in vain: \(what)")
        }
    }

    /// Waits until a descriptor can be read or is at its end. Returns whether that came in time.
    static func isReadable(_ descriptor: Int32, within milliseconds: Int = milliseconds) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, Int32(milliseconds)) > 0
    }
}

extension UInt64 {
    /// Milliseconds since this instant of the monotonic clock.
    var millisecondsAgo: Double {
        Double(MonotonicClock.now() - self) / 1_000_000
    }
}
