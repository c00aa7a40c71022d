// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON

/// A value that predicates compare.
///
/// Strings are equal if their UTF-8 is equal: texts that Unicode treats as equivalent, such as `é`
/// in one or in two scalars, differ here as they do on the wire.
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
    /// The value in JSON.
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
    /// Bytes of a string.
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
