// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Access to the members of the bus's documents.
extension JSONValue {
    /// The elements of an array; empty for other values.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members of an object; empty for other values.
    var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// Returns the number as an integer, if it is one that fits.
    func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        if case .number(let digits) = self { Value(digits) } else { nil }
    }

    /// The number, for example of microseconds, clamped to 32 bits.
    var number: UInt32? {
        integer(UInt64.self).map { UInt32(clamping: $0) }
    }

    /// A string without its quotes; other values as JSON.
    var plainText: String {
        string ?? text
    }

    /// Returns the members of an object without those of some keys.
    func without(_ keys: Set<String>) -> [Member] {
        members.filter { !keys.contains($0.key) }
    }
}
