// SPDX-License-Identifier: Apache-2.0

/// What a node declares of its environment and preferences: what it sets, what it wants to be told.
package struct Assignments: Hashable, Sendable {
    package var settings: [EnvironmentSetting]
    package var watchedKeys: [EventName]
    package var offers: [PreferenceOffer]
    package var watchedPreferences: [EventName]
    /// Rules of its own, each as a line of a file of rules.
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

    /// Takes a field, if it is one of these.
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
