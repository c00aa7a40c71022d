// SPDX-License-Identifier: Apache-2.0

/// The environment and preferences that a node declares, in the order of its modifiers.
struct DeclaredValues: Sendable {
    private struct Setting {
        let value: AssignedValue
        let scope: EnvironmentScope
        let isSticky: Bool
    }

    private var settings: [Setting] = []
    private var offers: [(name: String, make: @Sendable () throws -> PreferenceOffer)] = []
    private(set) var watchedKeys: [ErasedKey] = []
    private var rules: [String] = []

    /// Sets values. A later value for the same key replaces an earlier one.
    mutating func set(_ values: [AssignedValue], _ scope: EnvironmentScope, isSticky: Bool) {
        for value in values {
            settings.removeAll { $0.value.key.name == value.key.name }
            settings.append(Setting(value: value, scope: scope, isSticky: isSticky))
        }
    }

    mutating func offer<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) {
        let name = K.name
        offers.removeAll { $0.name == name }
        offers.append((name, { try K.offer(value) }))
    }

    mutating func watch(_ keys: [ErasedKey]) {
        for key in keys where !watchedKeys.contains(where: { $0.id == key.id }) {
            watchedKeys.append(key)
        }
    }

    mutating func add(_ rules: Rules) {
        self.rules += rules.lines
    }

    /// Returns the declaration in the form of the protocol. Throws ``CascadeError`` or `NameError`.
    func assignments() throws -> Assignments {
        Assignments(
            settings: try settings.map { try $0.value.setting($0.scope, isSticky: $0.isSticky) },
            watchedKeys: try names(arePreferences: false),
            offers: try offers.map { try $0.make() },
            watchedPreferences: try names(arePreferences: true), rules: rules)
    }

    private func names(arePreferences: Bool) throws -> [EventName] {
        var names: [EventName] = []
        for key in watchedKeys where key.isPreference == arePreferences {
            let name = try key.eventName
            if !names.contains(name) {
                names.append(name)
            }
        }
        return names
    }
}
