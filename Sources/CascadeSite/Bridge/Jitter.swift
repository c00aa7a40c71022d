// SPDX-License-Identifier: Apache-2.0

/// Numbers that shorten the pauses between attempts, so that sites do not dial at the same moments.
/// They need not be secret.
struct Jitter: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next number of the generator SplitMix64.
    mutating func next() -> UInt16 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt16(truncatingIfNeeded: mixed ^ (mixed >> 31))
    }
}
