// SPDX-License-Identifier: Apache-2.0

/// A number in a predicate, a rule or a payload.
///
/// Integers that fit 64 bits are exact, so that different identifiers beyond 2^53 compare as
/// different. Every other number is the nearest `Double`. A number with a fraction or an exponent
/// is first read as a `Double`: `1.0` and `1e3` are integers, and `9007199254740993.0` is already
/// rounded.
package struct Number: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The canonical form of the number, one for each value, so that equality is synthesized.
    private enum Form: Hashable {
        case integer(Int64)

        /// A finite number with a fraction, or outside the range of the integers.
        case real(Double)
    }

    private let form: Form

    package init(_ integer: some FixedWidthInteger) {
        form = Int64(exactly: integer).map(Form.integer) ?? .real(Double(integer))
    }

    /// Returns `nil` for an infinite value or NaN.
    package init?(_ value: Double) {
        guard value.isFinite else {
            return nil
        }
        form = Int64(exactly: value).map(Form.integer) ?? .real(value)
    }

    /// Parses a number that is known to be valid JSON. Returns `nil` if it is outside the range of
    /// `Double`.
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

    /// The number as an integer; `nil` if it has a fraction or does not fit.
    package var integer: Int64? {
        if case .integer(let integer) = form { integer } else { nil }
    }

    /// The number in JSON.
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

    /// Compares without rounding the integer. The two are never equal: an integral real number
    /// would have the other form.
    private static func isLess(_ integer: Int64, than value: Double) -> Bool {
        guard let floor = Int64(exactly: value.rounded(.down)) else {
            return value > 0
        }
        return integer <= floor
    }
}
