// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock of all deadlines. It is never set.
package enum MonotonicClock {
    /// The time of CLOCK_MONOTONIC, in nanoseconds.
    package static func now() -> UInt64 {
        nanoseconds(of: CLOCK_MONOTONIC)
    }

    /// The same time, as event loops take it.
    package static var time: Duration {
        .nanoseconds(Int64(now()))
    }
}

/// The clock that also runs while the system is suspended.
package enum BootClock {
    /// The time of CLOCK_BOOTTIME, in nanoseconds.
    package static func now() -> UInt64 {
        nanoseconds(of: CLOCK_BOOTTIME)
    }
}

/// The clock of the date. It may be set, forwards and back.
package enum RealtimeClock {
    /// The time of CLOCK_REALTIME, in nanoseconds since the beginning of 1970.
    package static func now() -> UInt64 {
        nanoseconds(of: CLOCK_REALTIME)
    }
}

/// The clock of the processor time of the calling thread. Reading it is a system call.
package enum ThreadClock {
    /// The time of CLOCK_THREAD_CPUTIME_ID, in nanoseconds.
    package static func now() -> UInt64 {
        nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
    }
}

@inline(__always)
private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
