// SPDX-License-Identifier: Apache-2.0

/// How long to wait before a new connection: not at all after one that served, and longer after
/// each that did not, so that a bus that turns everybody away is not run down.
struct ReconnectDelay {
    private static let firstNanoseconds: UInt64 = 20_000_000
    private static let mostNanoseconds: UInt64 = 200_000_000

    private var nanoseconds: UInt64 = 0

    /// The daemon has let this side in.
    mutating func reset() {
        nanoseconds = 0
    }

    /// In nanoseconds.
    mutating func next() -> UInt64 {
        defer {
            nanoseconds = min(max(2 * nanoseconds, Self.firstNanoseconds), Self.mostNanoseconds)
        }
        return nanoseconds
    }
}
