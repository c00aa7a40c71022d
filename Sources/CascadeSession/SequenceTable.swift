// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// Values by numbers that only grow, such as those of messages.
///
/// Most values are removed in about their order, so that a queue with gaps finds them without a search. A value
/// that stays for long keeps no gaps behind it: when most of the queue is gaps, they are removed.
struct SequenceTable<Value: Sendable>: Sendable {
    private struct Place: Sendable {
        let number: UInt64
        var isGap = false
    }

    /// The number of gaps that may stay beside as many values.
    private static var gapCountMax: Int { 64 }

    // Places are searched, so they are apart from the values, which may be large.
    private var places: Deque<Place> = []
    private var values: Deque<Value?> = []
    /// The number of values.
    private(set) var count = 0

    /// Adds a value.
    ///
    /// Precondition: `number` is greater than each earlier one.
    mutating func append(_ value: consuming Value, at number: UInt64) {
        precondition(places.last.map { $0.number < number } ?? true, "the numbers must grow")
        places.append(Place(number: number))
        values.append(value)
        count += 1
    }

    /// The value with a number; `nil` if there is none.
    subscript(number: UInt64) -> Value? {
        index(of: number).flatMap { values[$0] }
    }

    /// Changes the value with a number, if there is one.
    mutating func update(_ number: UInt64, _ change: (inout Value) -> Void) {
        if let index = index(of: number) {
            update(at: index, change)
        }
    }

    /// Changes each value.
    mutating func updateAll(_ change: (inout Value) -> Void) {
        for index in values.indices {
            update(at: index, change)
        }
    }

    private mutating func update(at index: Int, _ change: (inout Value) -> Void) {
        if var value = values[index].take() {
            change(&value)
            values[index] = value
        }
    }

    /// Removes the value with a number and returns it; `nil` if there is none.
    mutating func remove(_ number: UInt64) -> Value? {
        guard let index = index(of: number), let value = values[index].take() else {
            return nil
        }
        places[index].isGap = true
        count -= 1
        while let first = places.first, first.isGap {
            places.removeFirst()
            values.removeFirst()
        }
        if places.count > 2 * (count + Self.gapCountMax) {
            places.removeAll { $0.isGap }
            values.removeAll { $0 == nil }
        }
        return value
    }

    /// The number of values and gaps.
    var placeCount: Int {
        places.count
    }

    /// All values, in the order of their numbers.
    var all: [(number: UInt64, value: Value)] {
        zip(places, values).compactMap { place, value in value.map { (place.number, $0) } }
    }

    /// The place of a number in the queue, of a value or of a gap.
    private func index(of number: UInt64) -> Int? {
        guard let first = places.first?.number, number >= first else {
            return nil
        }
        // Without numbers that are left out, this is its place. Otherwise its place is before that.
        let place = number - first
        if place < UInt64(places.count), places[Int(place)].number == number {
            return Int(place)
        }
        var (low, high) = (0, Int(min(place, UInt64(places.count))))
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < places.count && places[low].number == number ? low : nil
    }
}
