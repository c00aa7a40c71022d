// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// A value of the environment: JSON as the bus passes it on, and what predicates compare.
struct KeyValue: Hashable, Sendable {
    /// The text, without needless space: equal texts are equal values.
    let json: String
    /// Nothing for arrays and objects, which no predicate compares.
    let scalar: Scalar?

    init(_ value: JSONValue) {
        json = value.text
        switch value {
        case .null: scalar = .null
        case .bool(let bool): scalar = .boolean(bool)
        case .string(let text): scalar = .string(text)
        case .number: scalar = TopLevelScalars("{\"v\":\(json)}".utf8)["v"]
        case .array, .object: scalar = nil
        }
    }

    /// Values nest no deeper than this.
    static let depthMax = 64

    /// Reads a value. What is wrong with it is said in words that go on behind `is`.
    static func parse(_ text: String) throws(ValueFault) -> JSONValue {
        // Looked at before anything is read, so that no depth of others costs us our stack.
        guard depth(of: text) <= depthMax else {
            throw ValueFault("nested more than \(depthMax) levels deep (limit valueDepth)")
        }
        do {
            return try JSONParser.parse(text)
        } catch {
            throw ValueFault("no JSON: \(error)")
        }
    }

    private static func depth(of text: String) -> Int {
        var depth = 0
        var deepest = 0
        var isString = false
        var isEscaped = false
        for byte in text.utf8 {
            if isString {
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}
