// SPDX-License-Identifier: Apache-2.0

/// Whole units of a duration, rounded towards zero. A duration beyond the range of the number is clamped.
extension Duration {
    package var wholeNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    package var wholeMicroseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000)
    }

    package var wholeMilliseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000_000)
    }

    /// The microseconds that a message states, as of a visit.
    package var wireMicroseconds: UInt32 {
        UInt32(clamping: wholeMicroseconds)
    }

    /// The milliseconds that a message states, as of a deadline: at least 1, because 0 stands for the default.
    package var wireMilliseconds: UInt32 {
        UInt32(clamping: max(1, wholeMilliseconds))
    }
}
