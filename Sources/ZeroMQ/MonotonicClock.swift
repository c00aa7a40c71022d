// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock that deadlines are measured on: never set, never leaping.
package enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
