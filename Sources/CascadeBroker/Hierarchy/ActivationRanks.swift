// SPDX-License-Identifier: Apache-2.0

/// Gives nodes their ranks in the order in which they are activated.
struct ActivationRanks: Sendable {
    /// Where ranks begin under this daemon.
    private let first: UInt64
    /// The rank of the node that was activated last.
    private(set) var last: UInt64

    /// How far ahead of the first rank one may be that a session brings: 1.1 years, should it have
    /// got it on this machine before that was started anew. What a peer makes up cannot use up the
    /// ranks.
    private static let leap: UInt64 = 1 << 45

    /// Ranks begin at the microseconds of the clock that drives the broker. It has run since the
    /// machine was started, so former daemons have given lower ranks.
    init(at now: Instant) {
        first = now.nanoseconds / 1_000
        last = first
    }

    /// The rank of a node that is activated now.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// The rank that a node gets which had this one before. A rank from the future, which only a
    /// wall clock that was set back can explain, counts as given now: nothing is gained by it that
    /// an activation would not give, and the activations after it are more recent.
    mutating func admit(_ rank: UInt64) -> UInt64 {
        last = max(last, min(rank, first + Self.leap))
        return min(rank, last)
    }

    /// Goes on behind the last rank that the daemon before has given.
    mutating func goOn(behind rank: UInt64) {
        last = max(last, min(rank, 1 << 62))
    }
}
