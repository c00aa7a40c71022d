// SPDX-License-Identifier: Apache-2.0

/// A point on the monotonic clock of the broker's driver, in nanoseconds.
///
/// A plain number, so that tests and transcripts construct, compare and print it freely.
package struct Instant: Comparable, Hashable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package func advanced(byMilliseconds milliseconds: UInt32) -> Instant {
        Instant(nanoseconds: nanoseconds + UInt64(milliseconds) * 1_000_000)
    }

    /// No earlier than zero.
    func earlier(byMilliseconds milliseconds: UInt32) -> Instant {
        let span = UInt64(milliseconds) * 1_000_000
        return Instant(nanoseconds: nanoseconds - min(nanoseconds, span))
    }

    /// Whole microseconds since `earlier`; 0 if that is not earlier.
    package func microseconds(since earlier: Instant) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? (nanoseconds - earlier.nanoseconds) / 1000 : 0
    }

    /// Milliseconds from now until this instant, rounded up; 0 if it has passed.
    func milliseconds(from now: Instant) -> UInt32 {
        guard self > now else {
            return 0
        }
        return UInt32(clamping: (nanoseconds - now.nanoseconds + 999_999) / 1_000_000)
    }
}
