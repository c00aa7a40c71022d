// SPDX-License-Identifier: Apache-2.0

/// A number with a name: a limit, a counter.
package struct NamedNumber: Equatable, Sendable {
    package var name: String
    package var value: UInt64

    package init(_ name: String, _ value: UInt64) {
        self.name = name
        self.value = value
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        name = try parts.text()
        value = try parts.integer()
    }

    func write(as tag: FieldTag, to fields: inout FieldWriter) {
        fields.append(tag) { parts in
            parts.append(name)
            parts.append(value)
        }
    }
}
