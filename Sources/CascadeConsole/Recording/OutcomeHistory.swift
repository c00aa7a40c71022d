// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The outcomes of a recording over time, in at most ``rowCountMax`` rows, however long it is.
struct OutcomeHistory: Sendable {
    static let rowCountMax = 900

    /// The outcomes of a time.
    struct Row: Equatable, Sendable {
        /// The end of the time, in milliseconds since 1970.
        var when: Int64
        /// The length of the time in milliseconds.
        var length: Int64
        /// The numbers in the order of `BusView.outcomes`.
        var counts: [UInt64]

        /// `[when, length, counts…]`.
        var text: String {
            "[\(when),\(length)\(counts.map { ",\($0)" }.joined())]"
        }
    }

    private(set) var rows: [Row] = []
    /// The least length of a row in milliseconds.
    private var span: Int64 = 1_000

    /// Takes a row of a frame.
    mutating func append(_ text: String) {
        guard let numbers = try? JSONValue(parsing: text).elements, numbers.count > 2,
            let when: Int64 = numbers[0].integer(), let length: Int64 = numbers[1].integer()
        else {
            return
        }
        append(
            Row(when: when, length: length, counts: numbers.dropFirst(2).map { $0.integer() ?? 0 }))
    }

    mutating func append(_ row: Row) {
        add(row)
        guard rows.count > Self.rowCountMax else {
            return
        }
        // Rows of twice the length are half as many.
        span *= 2
        let before = rows
        rows = []
        for row in before {
            add(row)
        }
        // Rows with long gaps between them do not join; then the oldest go.
        rows.removeFirst(max(0, rows.count - Self.rowCountMax))
    }

    /// Joins a row with the last one, or adds it. Lengths need not be exact.
    private mutating func add(_ row: Row) {
        let lengthMax = span * 3 / 2
        if let last = rows.last, last.length + row.length <= lengthMax,
            row.when - last.when <= lengthMax, last.counts.count == row.counts.count
        {
            rows[rows.count - 1] = Self.joined(last, row)
        } else {
            rows.append(row)
        }
    }

    /// Removes the rows that ended before a moment.
    mutating func removeRows(before when: Timestamp) {
        let oldest = when.microseconds / 1_000
        rows.removeFirst(rows.prefix { $0.when < oldest }.count)
    }

    private static func joined(_ one: Row, _ next: Row) -> Row {
        Row(
            when: next.when, length: one.length + next.length,
            counts: zip(one.counts, next.counts).map { $0 &+ $1 })
    }
}
