// SPDX-License-Identifier: Apache-2.0

/// A node's part in the environment: values that it sets, preferences that it offers, keys that it
/// watches, and its rules.
package struct Assignments: Hashable, Sendable {
    package var settings: [EnvironmentSetting]
    package var watchedKeys: [EventName]
    package var offers: [PreferenceOffer]
    package var watchedPreferences: [EventName]
    /// The node's own rules, each in the syntax of one line of a rules file.
    package var rules: [String]

    package init(
        settings: [EnvironmentSetting] = [], watchedKeys: [EventName] = [],
        offers: [PreferenceOffer] = [], watchedPreferences: [EventName] = [], rules: [String] = []
    ) {
        self.settings = settings
        self.watchedKeys = watchedKeys
        self.offers = offers
        self.watchedPreferences = watchedPreferences
        self.rules = rules
    }

    /// Appends the assignment in `field`. Ignores a field with any other tag.
    mutating func read(_ field: FieldReader.Field) throws(WireError) {
        switch field.tag {
        case .value: settings.append(try EnvironmentSetting(field))
        case .watchedKey: watchedKeys.append(try EventName(decodingKey: field.text()))
        case .preference: offers.append(try PreferenceOffer(field))
        case .watchedPreference:
            watchedPreferences.append(try EventName(decodingKey: field.text()))
        case .rule: rules.append(try field.text())
        default: break
        }
    }

    func write(to fields: inout FieldWriter) {
        for setting in settings {
            setting.write(to: &fields)
        }
        for key in watchedKeys {
            fields.append(.watchedKey, key.description)
        }
        for offer in offers {
            offer.write(to: &fields)
        }
        for key in watchedPreferences {
            fields.append(.watchedPreference, key.description)
        }
        for rule in rules {
            fields.append(.rule, rule)
        }
    }
}

// MARK: - Values

/// A value that a node, or a peer outside the tree, sets for a key of the environment, or removes.
package struct EnvironmentSetting: Hashable, Sendable {
    package var key: EventName
    /// The value as JSON text; `nil` to remove the value.
    package var json: String?
    /// Whether the value applies to the node itself too, and not only to the nodes below.
    package var isForItself: Bool
    /// Whether the value stays when its node is detached.
    package var isSticky: Bool
    /// Whether the value is read only where neither a value nor a rule gives one. Only a node at `/` sets
    /// such values.
    package var isFallback: Bool
    /// The origin of a value that comes from another bus, for people; `nil` for a value of this one.
    package var source: ValueSource?

    package init(
        _ key: EventName, _ json: String?, isForItself: Bool = false, isSticky: Bool = false,
        isFallback: Bool = false, source: ValueSource? = nil
    ) {
        self.key = key
        self.json = json
        self.isForItself = isForItself
        self.isSticky = isSticky
        self.isFallback = isFallback
        self.source = source
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
            case .isFallback: setting.isFallback = true
            case .source: setting.source = try ValueSource(field)
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
                value.append(.isFallback, if: isFallback)
                source?.write(to: &value)
            })
    }
}

/// The origin of a value that a node sets for another bus.
package struct ValueSource: Hashable, Sendable {
    /// The bus and the place there, for people.
    package var text: String
    /// Whether the other bus cannot be reached, so that it may have another value by now.
    package var isStale: Bool

    package init(_ text: String, isStale: Bool = false) {
        self.text = text
        self.isStale = isStale
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        text = try parts.text()
        isStale = parts.isAtEnd ? false : try parts.integer(UInt8.self) != 0
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.source) { parts in
            parts.append(text)
            if isStale {
                parts.append(UInt8(1))
            }
        }
    }
}

// MARK: - Preferences

/// A preference that a node offers to its ancestors, or withdraws.
package struct PreferenceOffer: Hashable, Sendable {
    package var key: EventName
    /// The value as JSON text; `nil` to withdraw the preference.
    package var json: String?
    package var reducer: PreferenceReducer

    package init(_ key: EventName, _ json: String?, _ reducer: PreferenceReducer) {
        self.key = key
        self.json = json
        self.reducer = reducer
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var fields = field.nested
        var key: EventName?
        var json: String?
        var reducer = PreferenceReducer.first
        while let field = try fields.next() {
            switch field.tag {
            case .key: key = try EventName(decodingKey: field.text())
            case .text: json = try field.text()
            case .reducer:
                let number: UInt8 = try field.integer()
                guard let known = PreferenceReducer(rawValue: number) else {
                    throw WireError(.otherReducer, "there is no reducer \(number)")
                }
                reducer = known
            default: break
            }
        }
        guard let key else {
            throw WireError("a preference has no key")
        }
        self.init(key, json, reducer)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(
            .preference,
            nested: { offer in
                offer.append(.key, key.description)
                if let json {
                    offer.append(.text, json)
                }
                offer.append(.reducer, reducer.rawValue)
            })
    }
}

/// The way in which the preferences of several nodes become one.
public enum PreferenceReducer: UInt8, Sendable, CaseIterable {
    /// The sum of numbers.
    case sum = 1
    /// The least number, or string.
    case min = 2
    /// The greatest number, or string.
    case max = 3
    /// Whether all are true.
    case all = 4
    /// Whether any is true.
    case any = 5
    /// The first value, in the order in which the children attached.
    case first = 6
    /// The elements of all arrays, one array after the other; any other value counts as one element.
    case append = 7
    /// The members of all objects; of several with the same name, the first.
    case merge = 8

    /// The reducer as the command line writes it.
    public var name: String {
        "\(self)"
    }
}
