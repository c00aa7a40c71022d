// SPDX-License-Identifier: Apache-2.0

/// A value that a node, or somebody outside, sets for a key of the environment, or takes back.
package struct EnvironmentSetting: Hashable, Sendable {
    package var key: EventName
    /// The value as JSON text; `nil` to take back what was set.
    package var json: String?
    /// Whether the node reads it itself too, and not only what is below it.
    package var isForItself: Bool
    /// Whether it stays when its node goes.
    package var isSticky: Bool

    package init(
        _ key: EventName, _ json: String?, isForItself: Bool = false, isSticky: Bool = false
    ) {
        self.key = key
        self.json = json
        self.isForItself = isForItself
        self.isSticky = isSticky
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var fields = field.nested
        var key: EventName?
        var setting = EnvironmentSetting(EventName(unchecked: ""), nil)
        while let field = try fields.next() {
            switch field.tag {
            case .key: key = try EventName(decodingKey: field.text())
            case .text: setting.json = try field.text()
            case .isForItself: setting.isForItself = true
            case .isSticky: setting.isSticky = true
            default: break
            }
        }
        guard let key else {
            throw WireError("a value of the environment has no key")
        }
        setting.key = key
        self = setting
    }

    func write(to fields: inout FieldWriter) {
        fields.append(
            .value,
            nested: { value in
                value.append(.key, key.description)
                if let json {
                    value.append(.text, json)
                }
                value.append(.isForItself, if: isForItself)
                value.append(.isSticky, if: isSticky)
            })
    }
}

extension EventName {
    /// A key that came over the wire: keys follow the rule for names.
    init(decodingKey text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badKey, error.description)
        }
    }
}
