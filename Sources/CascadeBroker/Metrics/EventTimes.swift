// SPDX-License-Identifier: Apache-2.0

/// How long events took, as a histogram: each bucket reaches four times as far as the one before.
/// Counting one is a few instructions.
package struct EventTimes: Equatable, Sendable {
    /// From 4 microseconds to 67 seconds, and one for what takes longer.
    package static let bucketCount = 14

    /// How many events ended in each bucket, not in those before it.
    package private(set) var counts = [UInt64](repeating: 0, count: bucketCount)
    package private(set) var nanoseconds: UInt64 = 0

    package init() {}

    package mutating func count(_ nanoseconds: UInt64) {
        counts[Self.bucket(nanoseconds)] += 1
        self.nanoseconds &+= nanoseconds
    }

    /// What the bucket reaches to, in microseconds, that included; `nil` for the last.
    package static func microseconds(of bucket: Int) -> UInt64? {
        bucket + 1 < bucketCount ? 4 << (2 * UInt64(bucket)) : nil
    }

    private static func bucket(_ nanoseconds: UInt64) -> Int {
        guard nanoseconds > 4_000 else {
            return 0
        }
        // What is within a bucket's bound is at most its number of whole microseconds.
        let microseconds = (nanoseconds - 1) / 1_000
        let bits = UInt64.bitWidth - microseconds.leadingZeroBitCount
        return min((bits - 1) / 2, bucketCount - 1)
    }
}
