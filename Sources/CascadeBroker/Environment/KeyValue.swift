// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON

/// A value of the environment: JSON as the bus passes it on, and what predicates compare.
struct KeyValue: Hashable, Sendable {
    /// The text, without needless space: equal texts are equal values.
    let json: String
    /// Nothing for arrays and objects, which no predicate compares.
    let scalar: Scalar?

    init(_ value: JSONValue) {
        json = value.text
        scalar = Scalar(value)
    }

    /// Values nest no deeper than this.
    static let depthMax = 64

    /// Reads a value. What is wrong with it is said in words that go on behind `is`.
    static func parse(_ text: String) throws(ValueFault) -> JSONValue {
        do {
            return try JSONValue(parsing: text, depthMax: depthMax)
        } catch {
            throw ValueFault(
                error.isTooDeep ? "\(error.message) (limit valueDepth)" : "no JSON: \(error)")
        }
    }
}
