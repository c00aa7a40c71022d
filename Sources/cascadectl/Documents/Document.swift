// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// A result of a command in two formats: JSON for programs, text for people.
protocol Document: Sendable {
    var json: JSONValue { get }

    /// Returns the text, without a line feed at the end.
    func text(_ style: Style) -> String

    /// The exit status of a command that ends with this document.
    var status: ExitStatus { get }
}

extension Document {
    var status: ExitStatus {
        .done
    }
}

// MARK: - Answers of the bus

/// Access to the documents in the bus's answers.
extension JSONValue {
    /// Parses a document in an answer. Throws ``Stop`` if it is not JSON.
    init(answer message: [UInt8]) throws {
        let text = try DocumentAnswer(parsing: message).document
        do throws(JSONError) {
            self = try JSONValue(parsing: text)
        } catch {
            throw Stop(.protocolError, "the bus's answer is not JSON: \(error)")
        }
    }

    /// The elements of an array; empty for other values.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members of an object; empty for other values.
    var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// Returns the number as an integer; `nil` if it is not an integer or does not fit.
    func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        if case .number(let digits) = self { Value(digits) } else { nil }
    }

    /// The number clamped to 32 bits; `nil` if it is not a nonnegative integer.
    var number: UInt32? {
        integer(UInt64.self).map { UInt32(clamping: $0) }
    }

    /// A string without its quotes; other values as JSON.
    var plainText: String {
        string ?? text
    }

    /// Returns the members of an object except those with the given keys.
    func without(_ keys: Set<String>) -> [Member] {
        members.filter { !keys.contains($0.key) }
    }
}

// MARK: - Numbers

extension JSONValue {
    /// Returns an object with a member for each named number.
    static func numbers(_ numbers: [NamedNumber]) -> JSONValue {
        .object(numbers.map { Member(key: $0.name, value: .integer($0.value)) })
    }
}
