// SPDX-License-Identifier: Apache-2.0

/// The delay before the next connection: none after a connection that served, then 20 ms, doubled
/// after each failure up to 200 ms, so that clients do not overload a bus that rejects them.
struct ReconnectDelay {
    private static let firstNanoseconds: UInt64 = 20_000_000
    private static let mostNanoseconds: UInt64 = 200_000_000

    private var nanoseconds: UInt64 = 0

    /// Resets the delay: the daemon has accepted this side.
    mutating func reset() {
        nanoseconds = 0
    }

    /// Returns the delay before the next connection, in nanoseconds.
    mutating func next() -> UInt64 {
        defer {
            nanoseconds = min(max(2 * nanoseconds, Self.firstNanoseconds), Self.mostNanoseconds)
        }
        return nanoseconds
    }
}
