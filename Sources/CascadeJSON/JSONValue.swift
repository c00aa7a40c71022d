// SPDX-License-Identifier: Apache-2.0

/// A JSON document or a part of one. Members keep their order, and numbers all their digits.
///
/// Payloads of applications pass through it. A coder that reads numbers as floating point and
/// forgets the order of members would change them.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number in JSON's notation.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// An object of the members that have a value.
    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(memberList(members))
    }

    /// The members that have a value.
    package static func memberList(_ members: KeyValuePairs<String, JSONValue?>) -> [Member] {
        members.compactMap { member in
            member.value.map { Member(key: member.key, value: $0) }
        }
    }

    /// A number without a fraction.
    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(String(value))
    }

    /// A string with the description of `value`.
    package static func text(_ value: some CustomStringConvertible) -> JSONValue {
        .string(value.description)
    }

    /// The value of a member. Of several members with the same key the last one counts, as in most
    /// JSON parsers.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else {
            return nil
        }
        return members.last { $0.key == key }?.value
    }

    /// The text of a string; `nil` for other values.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a Boolean; `nil` for other values.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}
