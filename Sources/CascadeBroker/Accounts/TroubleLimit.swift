// SPDX-License-Identifier: Apache-2.0

/// Rate limit of the errors that the bus raises because of what one user's peers request.
struct TroubleLimit: Sendable {
    private struct Place: Hashable {
        var trouble: String
        var node: NodeIndex
    }

    /// Errors in one window, at as many nodes.
    static let placesMax = 10
    private static let windowMilliseconds: UInt32 = 1_000

    private var windowEnd = Instant(nanoseconds: 0)
    private var places: Set<Place> = []
    private var leftOutCount = 0

    /// Returns how many errors were left out since the last one that was raised; `nil` if this one
    /// is left out too.
    mutating func admit(_ trouble: String, at node: NodeIndex, _ now: Instant) -> Int? {
        if windowEnd <= now {
            windowEnd = now.advanced(byMilliseconds: Self.windowMilliseconds)
            places.removeAll()
        }
        guard places.count < Self.placesMax,
            places.insert(Place(trouble: trouble, node: node)).inserted
        else {
            leftOutCount += 1
            return nil
        }
        defer { leftOutCount = 0 }
        return leftOutCount
    }
}
