// SPDX-License-Identifier: Apache-2.0

/// A string that an event carries beside its payload, readable without knowing the payload's form.
package struct Attribute: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        key = try parts.text()
        value = try parts.text()
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.attribute) { parts in
            parts.append(key)
            parts.append(value)
        }
    }
}
