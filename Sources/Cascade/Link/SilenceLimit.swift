// SPDX-License-Identifier: Apache-2.0

/// The time after which a connection without received messages counts as broken: ten beats of the
/// daemon. On tcp a peer may disappear without an error, with its machine or the network.
///
/// Source: Protocol, "Liveness".
struct SilenceLimit {
    private static let beats: UInt64 = 10

    /// The beat interval, one second until the daemon announces its own.
    private var beatNanoseconds: UInt64 = 1_000_000_000
    private var heardAt: UInt64

    /// Starts at the time of the connection, in `MonotonicClock` nanoseconds.
    init(at now: UInt64) {
        heardAt = now
    }

    mutating func heard(at now: UInt64) {
        heardAt = now
    }

    mutating func learn(beatMilliseconds: UInt32) {
        beatNanoseconds = UInt64(beatMilliseconds) * 1_000_000
    }

    /// The time at which the connection counts as broken, in `MonotonicClock` nanoseconds.
    var deadline: UInt64 {
        heardAt + Self.beats * beatNanoseconds
    }
}
