// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Lets so many lines a second into the log, and counts the rest: a peer that misbehaves as fast as
/// it can must not fill the disk with it.
struct RateLimit {
    private static let linesPerSecond = 10

    private var windowStart = Instant(nanoseconds: 0)
    private var count = 0
    private var suppressed = 0

    /// Whether a line may be written now; with it, how many were left out before it.
    mutating func admit(at now: Instant) -> (isAdmitted: Bool, suppressed: Int) {
        if now.microseconds(since: windowStart) >= 1_000_000 {
            windowStart = now
            count = 0
        }
        guard count < Self.linesPerSecond else {
            suppressed += 1
            return (false, 0)
        }
        count += 1
        defer { suppressed = 0 }
        return (true, suppressed)
    }
}
