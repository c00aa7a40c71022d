// SPDX-License-Identifier: Apache-2.0

/// A number of a predicate, a rule or a payload.
///
/// What is an integer and fits 64 bits is kept exactly, so that identifiers beyond 2^53 that differ
/// compare as different. Everything else is the nearest `Double`. A number that is written with a
/// fraction or an exponent is read as a `Double` first: `1.0` and `1e3` are the integers they stand
/// for, and `9007199254740993.0` is already rounded.
package struct Number: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Each number has one form only, so that equal numbers are equal members.
    private enum Form: Hashable {
        case integer(Int64)

        /// Finite; with a fraction, or too great for an integer.
        case real(Double)
    }

    private let form: Form

    package init(_ integer: some FixedWidthInteger) {
        form = Int64(exactly: integer).map(Form.integer) ?? .real(Double(integer))
    }

    /// Nothing for what is no finite number.
    package init?(_ value: Double) {
        guard value.isFinite else {
            return nil
        }
        form = Int64(exactly: value).map(Form.integer) ?? .real(value)
    }

    /// Reads a number that is already known to be written as JSON writes it. Nothing if it is
    /// greater than any `Double`.
    init?(json text: String) {
        if let integer = Int64(text) {
            self.init(integer)
        } else {
            guard let value = Double(text) else {
                return nil
            }
            self.init(value)
        }
    }

    /// The number, if it is an integer that fits.
    package var integer: Int64? {
        if case .integer(let integer) = form { integer } else { nil }
    }

    /// As JSON writes it.
    package var description: String {
        switch form {
        case .integer(let integer): integer.description
        case .real(let value): value.description
        }
    }

    package static func < (left: Number, right: Number) -> Bool {
        switch (left.form, right.form) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): isLess(left, than: right)
        case (.real(let left), .integer(let right)): !isLess(right, than: left)
        }
    }

    /// Compares without rounding the integer. The two are never equal: a real number that were an
    /// integer would have the other form.
    private static func isLess(_ integer: Int64, than value: Double) -> Bool {
        guard let floor = Int64(exactly: value.rounded(.down)) else {
            return value > 0
        }
        return integer <= floor
    }
}
