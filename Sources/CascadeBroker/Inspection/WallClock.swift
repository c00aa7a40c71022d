// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Tells people when something was: what the wall clock showed when the broker's clock stood at
/// zero, added.
struct WallClock: Sendable {
    /// Nanoseconds since the beginning of 1970.
    var epochNanoseconds: UInt64

    func time(_ instant: Instant) -> Timestamp {
        Timestamp(
            microseconds: Int64(clamping: (epochNanoseconds &+ instant.nanoseconds) / 1_000))
    }
}
