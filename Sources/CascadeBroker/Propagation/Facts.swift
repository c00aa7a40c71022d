// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// The data of an event that predicates can read, created when a predicate first reads it.
struct Facts: Sendable {
    var attributes: [Attribute]
    var members: TopLevelScalars

    /// Reads a message's fields and payload. What is no JSON has no members, and fields that cannot
    /// be read no attributes: a comparison with what is missing is false.
    init(_ payload: Payload) {
        self.init(fields: payload.fields, payload: Array(payload.body))
    }

    init(fields: [UInt8], payload: [UInt8]) {
        attributes = (try? Raised(fields: FieldReader(fields)))?.attributes ?? []
        members = TopLevelScalars(payload)
    }

    /// An attribute stands before a member of the same name.
    subscript(name: String) -> Scalar? {
        if let attribute = attributes.last(where: { $0.key == name }) {
            return .string(attribute.value)
        }
        return members[name]
    }
}
