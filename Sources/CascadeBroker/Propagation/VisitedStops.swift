// SPDX-License-Identifier: Apache-2.0

/// The stops that one visit covers: mostly one.
struct VisitedStops: Sendable {
    private var first = Stop.none
    private var later: [Stop] = []

    var count: Int {
        1 + later.count
    }

    subscript(index: Int) -> Stop {
        index == 0 ? first : later[index - 1]
    }

    var all: [Stop] {
        [first] + later
    }

    /// Begins anew with one stop. The capacity stays.
    @inline(__always)
    mutating func begin(at stop: Stop) {
        first = stop
        if !later.isEmpty {
            later.removeAll(keepingCapacity: true)
        }
    }

    mutating func append(_ stop: Stop) {
        later.append(stop)
    }

    /// Removes the stops from `index` on, which is at least 1.
    mutating func removeAll(from index: Int) {
        later.removeSubrange((index - 1)...)
    }
}
