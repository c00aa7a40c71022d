// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

/// The longest wait of a test, far beyond the need of a loaded machine.
enum Patience {
    static let milliseconds = 20_000

    /// Repeats a condition until it holds. Each try takes a while, as it queries another process.
    static func until(
        _ what: String, _ isReached: () throws -> Bool
    ) throws {
        let end = MonotonicClock.now() + UInt64(milliseconds) * 1_000_000
        while try !isReached() {
            try #require(MonotonicClock.now() < end, "did not happen in time: \(what)")
        }
    }

    /// Waits until a descriptor is readable or at its end. Returns whether that came in time.
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
