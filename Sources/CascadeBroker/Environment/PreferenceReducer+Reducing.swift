// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// Reducing. Values of a wrong type are refused before they reach a reducer.
extension PreferenceReducer {
    func takes(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.sum, .number), (.min, .number), (.max, .number), (.min, .string),
            (.max, .string), (.all, .bool), (.any, .bool), (.merge, .object), (.first, _),
            (.append, _):
            true
        default: false
        }
    }

    /// The accepted values, in words.
    var domain: String {
        switch self {
        case .sum: "numbers"
        case .min, .max: "numbers and strings"
        case .all, .any: "true and false"
        case .merge: "objects"
        case .first, .append: "any values"
        }
    }

    /// Whether a reduced value contains the parts of the values that it was reduced from.
    var keepsParts: Bool {
        self == .append || self == .merge
    }

    /// Bytes of the JSON of a value that is made of parts, roughly; parts beyond them are left out.
    /// As many as one value may have by default.
    static let byteCountMax = 64 << 10

    /// Reduces values, of which there is at least one, in the order of the children.
    func reduce(_ values: [JSONValue]) -> JSONValue? {
        switch self {
        case .sum: Self.sum(values)
        case .min: values.dropFirst().reduce(values.first) { Self.isLess($1, $0) ? $1 : $0 }
        case .max: values.dropFirst().reduce(values.first) { Self.isLess($0, $1) ? $1 : $0 }
        case .all: .bool(values.allSatisfy { $0.bool ?? false })
        case .any: .bool(values.contains { $0.bool ?? false })
        case .first: values.first
        case .append: Self.append(values)
        case .merge: Self.merge(values)
        }
    }

    /// An integer as long as all are and the sum fits; nothing for a sum that no number holds.
    private static func sum(_ values: [JSONValue]) -> JSONValue? {
        let texts = values.compactMap { value in
            if case .number(let text) = value { text } else { nil }
        }
        var sum: Int64? = 0
        for text in texts {
            let (next, isTooMuch) = (sum ?? 0).addingReportingOverflow(Int64(text) ?? 0)
            sum = sum == nil || Int64(text) == nil || isTooMuch ? nil : next
        }
        if let sum {
            return .integer(sum)
        }
        let real = texts.reduce(0) { $0 + (Double($1) ?? 0) }
        return Number(real).map { .number($0.description) }
    }

    /// Numbers before strings.
    private static func isLess(_ left: JSONValue, _ right: JSONValue?) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)):
            if let left = Int64(left), let right = Int64(right) {
                left < right
            } else {
                (Double(left) ?? 0) < (Double(right) ?? 0)
            }
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.number, .string): true
        default: false
        }
    }

    private static func isLess(_ left: JSONValue?, _ right: JSONValue) -> Bool {
        left.map { isLess($0, .some(right)) } ?? false
    }

    private static func append(_ values: [JSONValue]) -> JSONValue {
        // One list stays as it is, and costs nothing however long it is.
        if values.count == 1, case .array = values[0] {
            return values[0]
        }
        var all: [JSONValue] = []
        var byteCount = 0
        for value in values {
            for element in elements(value) {
                byteCount += element.textByteCount + 1
                guard byteCount <= byteCountMax else {
                    return .array(all)
                }
                all.append(element)
            }
        }
        return .array(all)
    }

    private static func elements(_ value: JSONValue) -> [JSONValue] {
        if case .array(let elements) = value { elements } else { [value] }
    }

    private static func merge(_ values: [JSONValue]) -> JSONValue {
        if values.count == 1 {
            return values[0]
        }
        var members: [JSONValue.Member] = []
        var known: Set<String> = []
        var byteCount = 0
        for case .object(let others) in values {
            for member in others where known.insert(member.key).inserted {
                byteCount += member.key.utf8.count + member.value.textByteCount + 4
                guard byteCount <= byteCountMax else {
                    return .object(members)
                }
                members.append(member)
            }
        }
        return .object(members)
    }
}

extension JSONValue {
    /// Bytes of its JSON, without those of escapes.
    fileprivate var textByteCount: Int {
        switch self {
        case .null, .bool: 4
        case .number(let digits): digits.utf8.count
        case .string(let string): string.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.textByteCount + 1 }
        case .object(let members):
            members.reduce(2) { $0 + $1.key.utf8.count + $1.value.textByteCount + 4 }
        }
    }
}
