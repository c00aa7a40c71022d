// SPDX-License-Identifier: Apache-2.0

/// The generator SplitMix64. The same seed gives the same numbers, so a failing case can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, and not including, `bound`.
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(bound))
    }

    /// Returns `true` with a probability of `percent` in a hundred.
    package mutating func isLucky(_ percent: Int) -> Bool {
        below(100) < percent
    }

    /// Returns a random element of a collection, which must not be empty.
    package mutating func pick<Elements: RandomAccessCollection>(
        _ elements: Elements
    ) -> Elements.Element {
        elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
    }
}
