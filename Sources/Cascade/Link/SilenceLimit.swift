// SPDX-License-Identifier: Apache-2.0

/// When a connection on which nothing comes counts as broken, although nothing says so: after ten
/// beats of the daemon. On tcp a peer may vanish without a trace, with its machine or the network.
///
/// Source: Protocol, "Liveness".
struct SilenceLimit {
    private static let beats: UInt64 = 10

    /// Until the daemon says how often it sends a beat.
    private var beatNanoseconds: UInt64 = 1_000_000_000
    private var heardAt: UInt64

    /// The connection is made now, in `MonotonicClock` nanoseconds.
    init(at now: UInt64) {
        heardAt = now
    }

    mutating func heard(at now: UInt64) {
        heardAt = now
    }

    mutating func learn(beatMilliseconds: UInt32) {
        beatNanoseconds = UInt64(beatMilliseconds) * 1_000_000
    }

    /// In `MonotonicClock` nanoseconds.
    var deadline: UInt64 {
        heardAt + Self.beats * beatNanoseconds
    }
}
