// SPDX-License-Identifier: Apache-2.0

/// A key whose value is another one now, for one node.
package struct EnvironmentChange: Hashable, Sendable {
    package var key: EventName
    /// The values as JSON text; `nil` for none.
    package var old: String?
    package var new: String?
    /// Whether it is a preference, reduced over the node's subtree, and no key of its environment.
    package var isPreference: Bool

    package init(_ key: EventName, old: String?, new: String?, isPreference: Bool = false) {
        self.key = key
        self.old = old
        self.new = new
        self.isPreference = isPreference
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var fields = field.nested
        var key: EventName?
        var change = EnvironmentChange(EventName(unchecked: ""), old: nil, new: nil)
        change.isPreference = field.tag == .preference
        while let field = try fields.next() {
            switch field.tag {
            case .key: key = try EventName(decodingKey: field.text())
            case .text: change.new = try field.text()
            case .oldText: change.old = try field.text()
            default: break
            }
        }
        guard let key else {
            throw WireError("a change of the environment has no key")
        }
        change.key = key
        self = change
    }

    func write(to fields: inout FieldWriter) {
        fields.append(
            isPreference ? .preference : .value,
            nested: { change in
                change.append(.key, key.description)
                if let new {
                    change.append(.text, new)
                }
                if let old {
                    change.append(.oldText, old)
                }
            })
    }
}
