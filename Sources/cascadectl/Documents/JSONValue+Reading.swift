// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Looking into documents that the bus has made.
extension JSONValue {
    /// The elements of an array; none for anything else.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members of an object; none for anything else.
    var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// A number that is an integer.
    func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        if case .number(let digits) = self { Value(digits) } else { nil }
    }

    /// A number of microseconds and the like.
    var number: UInt32? {
        integer(UInt64.self).map { UInt32(clamping: $0) }
    }

    /// A string without its quotes, anything else as JSON.
    var plainText: String {
        string ?? text
    }

    /// The members of an object but for some.
    func without(_ keys: Set<String>) -> [Member] {
        members.filter { !keys.contains($0.key) }
    }
}
