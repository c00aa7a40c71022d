// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock of all deadlines; it is never set back or forward.
package enum MonotonicClock {
    /// The time of CLOCK_MONOTONIC, in nanoseconds.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The processor time that the calling thread has taken. Reading it is a system call.
package enum ThreadClock {
    /// The time of CLOCK_THREAD_CPUTIME_ID, in nanoseconds.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
