// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON

/// A value that predicates compare.
///
/// Strings are equal if their UTF-8 is equal. Texts that Unicode treats as equivalent, such as `é` in
/// one or in two scalars, differ, as they do on the wire.
package enum Scalar: Sendable {
    case null
    case boolean(Bool)
    case number(Number)
    case string(String)
}

extension Scalar {
    /// `nil` for arrays and objects, and for a number greater than any `Double`.
    package init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .string(let text): self = .string(text)
        case .number(let text):
            guard let number = Number(json: text) else {
                return nil
            }
            self = .number(number)
        case .array, .object: return nil
        }
    }
}

extension Scalar: Hashable {
    package static func == (left: Scalar, right: Scalar) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value):
            for byte in value.utf8 {
                hasher.combine(byte)
            }
        }
    }
}

extension Scalar: CustomStringConvertible {
    /// The value as JSON text.
    package var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value.description
        case .number(let value): value.description
        case .string(let value): JSONValue.string(value).text
        }
    }
}

extension Scalar {
    /// The length of a string in bytes; 0 for other values.
    var byteCount: Int {
        if case .string(let text) = self { text.utf8.count } else { 0 }
    }

    /// Returns whether both values are of one type; only such values are compared.
    func isComparable(to other: Scalar) -> Bool {
        switch (self, other) {
        case (.null, .null), (.boolean, .boolean), (.number, .number), (.string, .string): true
        default: false
        }
    }

    /// Returns whether this value is less than the other; `nil` if their type has no order. Only
    /// numbers and strings have one.
    func isLess(than other: Scalar) -> Bool? {
        switch (self, other) {
        case (.number(let left), .number(let right)): left < right
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        default: nil
        }
    }
}

/// A number in a predicate, a rule or a payload.
///
/// Integers that fit 64 bits are exact, so that different identifiers beyond 2^53 compare as
/// different. Every other number is the nearest `Double`. A number with a fraction or an exponent
/// is first read as a `Double`: `1.0` and `1e3` are integers, and `9007199254740993.0` is already
/// rounded.
package struct Number: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The canonical form of the number. Each number has one form, so the synthesized equality is right.
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

    /// The number as JSON text.
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

    /// Returns whether the integer is less than the real number, without rounding the integer. The two
    /// are never equal, because an integral number that fits has the form `integer`.
    private static func isLess(_ integer: Int64, than value: Double) -> Bool {
        guard let floor = Int64(exactly: value.rounded(.down)) else {
            return value > 0
        }
        return integer <= floor
    }
}
