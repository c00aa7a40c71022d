// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The interval of the watchdog notifications.
package enum WatchdogPeriod {
    /// Returns half of `WATCHDOG_USEC`, in nanoseconds; `nil` if no watchdog is configured, or it
    /// is for another process (sd_watchdog_enabled(3)).
    package static func halfFromEnvironment() -> UInt64? {
        half(of: variable("WATCHDOG_USEC"), for: variable("WATCHDOG_PID"), in: getpid())
    }

    /// Returns half of these values of `WATCHDOG_USEC` and `WATCHDOG_PID`, in nanoseconds; `nil` if
    /// they are for another process or invalid.
    package static func half(
        of microseconds: String?, for owner: String?, in process: Int32
    ) -> UInt64? {
        guard let microseconds = microseconds.flatMap({ UInt64($0) }), microseconds > 0,
            owner.map({ $0 == "\(process)" }) ?? true
        else {
            return nil
        }
        return min(microseconds, UInt64(Int64.max) / 1_000) * 500
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
